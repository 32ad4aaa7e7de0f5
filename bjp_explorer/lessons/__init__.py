"""The page *Lessons*: the lessons, what they show, and how answers are judged."""
