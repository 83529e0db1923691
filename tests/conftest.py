"""What every test shares."""

import os

from hypothesis import settings

# Debian keeps mosquitto where a user's PATH does not look.
os.environ["PATH"] += os.pathsep + os.pathsep.join(("/usr/local/sbin", "/usr/sbin", "/sbin"))

# A program starts as it does for a user, from byte code: tests start hundreds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy Raspberry Pi is slow for reasons that are no fault of an example.
settings.register_profile("tablectl", deadline=None, print_blob=True)
settings.load_profile("tablectl")
