"""Supreme pai gow: how a player sets four cards."""

from tablectl.games.supreme_pai_gow import set_by
from tablectl.odds.strategies.strategy import Strategy

STRATEGIES = {"house-way": Strategy("sets every hand as the dealer does", sets=set_by)}
