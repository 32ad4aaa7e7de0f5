"""Long work beside the pages: tasks, worker processes, and their progress on the screen."""
