"""Pai gow poker: how a player sets seven cards."""

from tablectl.games.pai_gow_poker import house_way
from tablectl.odds.strategies.strategy import Strategy

STRATEGIES = {"house-way": Strategy("sets every hand by the house way, as the dealer does", sets=house_way)}
