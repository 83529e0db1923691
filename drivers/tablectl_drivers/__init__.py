"""Drivers that come with tablectl; each folder is one family of devices."""
