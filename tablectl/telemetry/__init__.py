"""How the program itself is doing: its log, and figures for those who watch many tables."""
