"""Count all 154,143,080 hands of seven cards out of 53 exactly, and time the evaluator.

    python tests/bench/hands.py

Suits matter only where a flush can be made, so the hands fall into classes that are worth the same: some 450,000, each
judged once through the public functions and counted as often as it occurs. The counts must equal the published ones.
"""

import random
import sys
import time
from collections import Counter
from math import comb

from tablectl.cards import WITH_JOKER_53
from tablectl.hands.bonus import imperial_banker_hand, imperial_player_hand, seven_card_bonus
from tablectl.hands.common_way import COMMON_WAY
from tablectl.hands.house_way import set_hand
from tablectl.hands.pai_gow import compare
from tablectl.odds.exact.pai_gow_poker import classes

HANDS = comb(53, 7)

STRAIGHT_ABOVE_THREE = {
    "five aces": 1_128,
    "royal flush": 26_132,
    "straight flush": 184_832,
    "four of a kind": 307_472,
    "full house": 4_188_528,
    "flush": 6_172_088,
    "three of a kind": 7_470_676,
    "straight": 11_236_028,
}
THREE_ABOVE_STRAIGHT = STRAIGHT_ABOVE_THREE | {"three of a kind": 7_672_500, "straight": 11_034_204}
SEVEN_CARD_ODDS = {
    "seven-card straight flush": 5000,
    "royal flush with suited king-queen": 2000,
    "seven-card straight flush with joker": 1000,
    "five aces": 400,
    "royal flush": 150,
    "straight flush": 50,
    "four of a kind": 25,
    "full house": 5,
    "flush": 4,
    "three of a kind": 3,
    "straight": 2,
}
SEVEN_CARD_EDGE = 7.827854
"""The house's, in percent, without envy."""


def count() -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return how many hands are what, for the seven-card bonus and for the two sides of imperial pai gow."""
    seven, player, banker = Counter[str](), Counter[str](), Counter[str]()
    for hand, times in classes():
        seven[seven_card_bonus(hand)] += times
        player[imperial_player_hand(hand)] += times
        banker[imperial_banker_hand(hand)] += times
    return seven, player, banker


def check(seven: Counter[str], player: Counter[str], banker: Counter[str]) -> None:
    """Compare with what was published."""
    assert sum(seven.values()) == sum(player.values()) == sum(banker.values()) == HANDS
    for category, published in STRAIGHT_ABOVE_THREE.items():
        assert player[category] == published, (category, player[category])
    for category in ("five aces", "four of a kind", "full house", "flush", "three of a kind", "straight"):
        assert seven[category] == THREE_ABOVE_STRAIGHT[category], (category, seven[category])
    straight_flushes = sum(hands for category, hands in seven.items() if "flush" in category) - seven["flush"]
    assert straight_flushes == THREE_ABOVE_STRAIGHT["royal flush"] + THREE_ABOVE_STRAIGHT["straight flush"]
    assert round(edge(seven), 6) == SEVEN_CARD_EDGE, edge(seven)


def edge(seven: Counter[str]) -> float:
    """Return what the house keeps of the seven-card bonus wager, in percent."""
    won = sum(
        hands * (SEVEN_CARD_ODDS[category] + 1) for category, hands in seven.items() if category in SEVEN_CARD_ODDS
    )
    return 100 - 100 * won / HANDS


def settle(deals: int, seed: int) -> Counter[str]:
    """Deal two hands each time, set both by the common way, and count how the player fared."""
    chance, deck = random.Random(seed), WITH_JOKER_53.cards()
    results = Counter[str]()
    for _ in range(deals):
        dealt = chance.sample(deck, 14)
        player, dealer = (set_hand(seven, COMMON_WAY) for seven in (dealt[:7], dealt[7:]))
        results[compare(player, dealer)] += 1
    return results


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def main(deals: int = 200_000, seed: int = 1) -> None:
    """Count, check and print."""
    begun = time.perf_counter()
    counts = count()
    check(*counts)
    say(f"all {HANDS:,} hands counted in {time.perf_counter() - begun:.1f} s; equal to the published counts")
    for title, hands in zip(("seven-card bonus", "imperial player", "imperial banker"), counts, strict=True):
        say(f"{title:16} " + "; ".join(f"{name} {number:,}" for name, number in hands.most_common()[::-1]))
    say(f"{'house edge':16} {edge(counts[0]):.6f} % of the seven-card bonus")
    begun = time.perf_counter()
    results = settle(deals, seed)
    taken = time.perf_counter() - begun
    shares = " / ".join(f"{result} {100 * results[result] / deals:.2f} %" for result in ("win", "push", "lose"))
    say(f"{deals:,} deals (seed {seed}): {shares}; {2 * deals / taken:,.0f} settings a second")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
