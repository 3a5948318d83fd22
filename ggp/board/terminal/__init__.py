"""Boards as text for a terminal: coloured by role, or plain."""
