"""Learning a reader's preference from ratings (paper, section online-preference-adaptation)."""

from prefer_core.learning.base import Learner
from prefer_core.learning.omd import OMD
from prefer_core.learning.posterior import Posterior
from prefer_core.learning.static import Static

UPDATERS: dict[str, type[Learner]] = {"omd": OMD, "posterior": Posterior, "static": Static}

__all__ = ["OMD", "UPDATERS", "Learner", "Posterior", "Static"]
