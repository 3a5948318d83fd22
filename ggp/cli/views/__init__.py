"""Views that show matches, reports and tables on the terminal."""
