"""The command line: ``tablectl run``, ``demo``, ``check``, ``replay``, ``double``, ``pit``."""
