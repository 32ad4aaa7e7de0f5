"""The page *Data*: samples, uploaded files, benchmark networks, and how files are prepared."""
