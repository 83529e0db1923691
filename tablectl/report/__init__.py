"""What a shift, a deck and a wrong count come to, told from the record."""

from tablectl.report import text
from tablectl.report.span import Span, told
from tablectl.report.story import Report

__all__ = ["Report", "Span", "text", "told"]
