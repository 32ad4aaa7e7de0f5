"""Views as files: one HTML page that opens from a disk, and asks no server for anything."""
