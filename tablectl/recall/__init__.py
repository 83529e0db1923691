"""The recall of a round: what happened, told from the record as a person would want to hear it."""

from tablectl.recall.find import Wanted, recall
from tablectl.recall.forms import Round
from tablectl.recall.story import only

__all__ = ["Round", "Wanted", "only", "recall"]
