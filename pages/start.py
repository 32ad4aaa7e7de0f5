"""Start: what this is, a figure that moves, two doors, and the sample datasets."""

from bjp_explorer.app import frame
from bjp_explorer.lessons import visit
from bjp_explorer.shell import loading
from bjp_explorer.start import views, words

frame.heading(words.ABOUT, title=words.TITLE)
views.page(loading.ready, visit.reached())
