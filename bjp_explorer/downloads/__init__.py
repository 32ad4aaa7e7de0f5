"""What a person downloads: drawings, reports, scripts and tables of one result."""
