"""Home: what PREFER is, and the way in; or the stage, where the address asks for it."""

from prefer_core.ui import stage
from prefer_core.ui.home import introduction, welcome
from prefer_core.ui.page import page

if stage.is_asked_for():
    stage.present()
else:
    with page("Home") as reader:
        introduction()
        welcome(reader)
