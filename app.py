"""Home: what PREFER is, and the way in."""

from prefer_core.ui.home import introduction, welcome
from prefer_core.ui.page import page

with page("Home") as reader:
    introduction()
    welcome(reader)
