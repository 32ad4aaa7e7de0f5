"""Start: what this is, a figure that moves, two doors, and the sample datasets."""

from bjp_explorer.app import frame
from bjp_explorer.lessons import visit
from bjp_explorer.shell.visit import ready
from bjp_explorer.start import views

frame.heading(views.ABOUT, title=views.TITLE)
views.page(ready, visit.reached(), visit.has_restored(), lambda: visit.take_event(views.KEY))
