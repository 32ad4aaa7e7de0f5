"""What stands around the pages: navigation, the sidebar's card, the server and its headers."""
