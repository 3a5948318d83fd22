"""The kinds of boards: each module finds boards of its kind in the rules, and says how they look and what is where."""
