"""How the commands show matches, reports and tables on the terminal."""
