"""The reader's own corner: resume link, start over, delete."""

import streamlit as st

from prefer_core.errors import PreferError
from prefer_core.ui import reader as readers
from prefer_core.ui import resources
from prefer_core.ui.reader import Reader


def account(reader: Reader) -> None:
    """Draw who is reading and what they can do with their data."""
    with st.popover(f"Reader {reader.session.pseudonym}", width="stretch", key=POPUP, on_change="rerun"):
        st.markdown("**Your link.** Open it in any browser to go on where you are. Keep it to yourself.")
        st.code(readers.address(reader), language=None, wrap_lines=True)
        st.markdown("**Start over.** A new reader with no ratings; what you rated so far stays kept.")
        st.button("Start over", on_click=start_over, args=(reader, reader.session.settings.learner))
        learner, name = OTHER[reader.session.settings.learner]
        st.button(f"Start over with {name}", on_click=start_over, args=(reader, learner))
        st.markdown("**Compare.** Whether others here may put what you care about beside other profiles.")
        st.checkbox(
            f"Others may compare with {reader.session.pseudonym}", reader.record.comparable,
            key=_allow_key(reader), on_change=_allow, args=(reader,),
        )  # fmt: skip
        st.markdown("**Delete.** Removes every summary, rating and preference kept about you. This cannot be undone.")
        sure = st.checkbox("Yes, delete everything about this reader", key=f"sure-{reader.session.id}")
        st.button("Delete my data", on_click=_erase, args=(reader,), disabled=not sure)


POPUP = "account"
"""Where a tab keeps whether the corner is open."""

OTHER = {
    "omd": ("posterior", "the Bayesian learner"),
    "posterior": ("omd", "mirror descent"),
    "static": ("omd", "mirror descent"),
}
"""The learner that is one click away, and how it is called."""


def start_over(reader: Reader, learner: str) -> None:
    """Begin anew in this tab as a new reader; called by the buttons."""
    try:
        readers.begin(reader.corpus, reader.session.participant, learner)
    except PreferError as error:
        readers.say(str(error))
        return
    st.session_state[POPUP] = False
    readers.say("You start over as a new reader, with no ratings.")


def _allow_key(reader: Reader) -> str:
    return f"allow-{reader.session.id}"


def _allow(reader: Reader) -> None:
    try:
        resources.ledger().allow_comparison(reader.session, bool(st.session_state[_allow_key(reader)]))
    except PreferError as error:
        readers.say(str(error))


def _erase(reader: Reader) -> None:
    try:
        receipt, counts = resources.ledger().erase(reader.session)
    except PreferError as error:
        readers.say(str(error))
        return
    readers.forget()
    rows = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    readers.say(f"Deleted: {rows}. Nothing about this reader is kept. Receipt {receipt}.")
