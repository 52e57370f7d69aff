"""Studies: a participant's way by link, or else the researcher's desk."""

from prefer_core.ui import study_desk, study_link, study_taking
from prefer_core.ui.page import page

if study_link.came_by_link():
    study_taking.take_part()
else:
    with page("Study"):
        study_desk.desk()
