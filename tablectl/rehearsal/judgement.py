"""What cards that lie open are, as a dealer sees it who calls them. A new game adds its questions here."""

from collections.abc import Callable

import msgspec

from tablectl.cards import Card
from tablectl.games import blackjack as family
from tablectl.games import four_card_poker as four_card
from tablectl.games import mini_tex_3_card_holdem as mini_tex
from tablectl.games import mississippi_stud as stud
from tablectl.games import pai_gow_poker as pai_gow
from tablectl.games import red_dog
from tablectl.games import spanish_21 as spanish
from tablectl.games import supreme_pai_gow as supreme
from tablectl.games import triple_attack_blackjack as attack
from tablectl.hands import blackjack, bonus
from tablectl.hands.four_card_poker import compare, four_card_hand
from tablectl.hands.mississippi_stud import five_card_hand, three_card_hand
from tablectl.hands.red_dog import PAIR
from tablectl.rulebook import Rulebook
from tablectl.script import DEALER

Cards = tuple[Card, ...]


class Question(msgspec.Struct, frozen=True):
    """How a question of the rules is answered. of: where its cards lie, by the hand asked about."""

    of: Callable[[str], tuple[str, ...]]
    by: Callable[..., str]


def questions(game: str, rules: Rulebook) -> dict[str, Question]:
    """Return every question that a table of this game may ask, by its name."""
    return QUESTIONS[game](rules)


def _red_dog(_: Rulebook) -> dict[str, Question]:
    return {
        "spread": Question(_boxes(red_dog.LEFT, red_dog.RIGHT), red_dog.spread_of),
        "third card": Question(_boxes(*red_dog.BOXES), _third_card),
    }


def _pai_gow(rules: Rulebook) -> dict[str, Question]:
    def result(hand: Cards, dealer: Cards) -> str:
        second = rules.option("low straight second")
        return pai_gow.result_of(hand[:5], hand[5:], *pai_gow.house_way(rules)(dealer), second=second)

    return {
        "result": Question(lambda hand: (hand, DEALER), result),
        pai_gow.THREE: Question(lambda hand: (hand,), bonus.three_card_bonus),
        pai_gow.SEVEN: Question(lambda hand: (hand,), bonus.seven_card_bonus),
        pai_gow.PLAYER_BONUS: Question(lambda hand: (hand,), bonus.imperial_player_hand),
        pai_gow.BANKER_BONUS: Question(lambda _: (DEALER,), bonus.imperial_banker_hand),
    }


def _supreme(rules: Rulebook) -> dict[str, Question]:
    def result(hand: Cards, dealer: Cards) -> str:
        return supreme.result_by(rules)(hand[:2], hand[2:], *supreme.set_by(rules)(dealer))

    return {
        supreme.RESULT: Question(lambda hand: (hand, DEALER), result),
        supreme.BONUS: Question(lambda hand: (hand,), supreme.bonus_by(rules)),
    }


def _stud(_: Rulebook) -> dict[str, Question]:
    return {
        stud.HAND: Question(lambda hand: (hand, *stud.STREETS), _together(five_card_hand)),
        stud.BONUS: Question(_boxes(*stud.STREETS), _together(three_card_hand)),
    }


def _mini_tex(rules: Rulebook) -> dict[str, Question]:
    dealer = (DEALER, *mini_tex.BOARD)
    return {
        mini_tex.DEALERS_HAND: Question(_boxes(*dealer), mini_tex.qualifies_by(rules)),
        mini_tex.RESULT: Question(lambda hand: (hand, *dealer), mini_tex.result_of),
        mini_tex.POCKET: Question(lambda hand: (hand,), mini_tex.pocket_by(rules)),
    }


def _four_card(_: Rulebook) -> dict[str, Question]:
    return {
        four_card.RESULT: Question(lambda hand: (hand, DEALER), compare),
        four_card.HAND: Question(lambda hand: (hand,), four_card_hand),
    }


def _spanish(_: Rulebook) -> dict[str, Question]:
    return {
        **_blackjack(spanish.AT_ONCE, blackjack.dealer_hand),
        "result": Question(_against, blackjack.spanish_result),
        "exposed card": Question(_boxes(DEALER), blackjack.exposed_seven),
        spanish.MATCH: Question(lambda hand: (hand, DEALER), blackjack.match_the_dealer),
        spanish.MAIN: Question(_boxes(), lambda: "super bonus from 5"),
    }


def _attack(rules: Rulebook) -> dict[str, Question]:
    return {
        **_blackjack(attack.STYLE, family.dealer_by(rules.option("hits soft 17"))),
        "result": Question(_against, attack.result_by(rules)),
        blackjack.BLACKJACK: Question(lambda hand: (hand,), attack.blackjack),
        attack.ROYAL: Question(lambda hand: (hand,), blackjack.suited_royal),
    }


def _blackjack(style: family.Style, dealer: Callable[..., str]) -> dict[str, Question]:
    """Return what both blackjack games ask."""
    return {
        "up card": Question(_boxes(DEALER), blackjack.up_card),
        family.PEEK: Question(_boxes(DEALER, family.HOLE), blackjack.peek),
        family.LOOK: Question(_boxes(DEALER, family.HOLE), blackjack.dealer_blackjack),
        family.HAND: Question(lambda hand: (hand,), family.end_of(style)),
        DEALER: Question(_boxes(DEALER, family.HOLE), dealer),
        "split": Question(lambda hand: (hand,), family.split_aces),
    }


def _against(hand: str) -> tuple[str, ...]:
    return hand, DEALER, family.HOLE


def _together(by: Callable[[Cards], str]) -> Callable[..., str]:
    """Return how the cards of several places are judged as one hand."""
    return lambda *places: by(sum(places, ()))


def _boxes(*names: str) -> Callable[[str], tuple[str, ...]]:
    return lambda _: names


def _third_card(left: Cards, middle: Cards, right: Cards) -> str:
    by = red_dog.trips if red_dog.spread_of(left, right) == PAIR else red_dog.between
    return by(left, middle, right)


QUESTIONS: dict[str, Callable[[Rulebook], dict[str, Question]]] = {
    red_dog.GAME.name: _red_dog,
    pai_gow.GAME.name: _pai_gow,
    supreme.GAME.name: _supreme,
    stud.GAME.name: _stud,
    four_card.GAME.name: _four_card,
    mini_tex.GAME.name: _mini_tex,
    spanish.GAME.name: _spanish,
    attack.GAME.name: _attack,
}
"""By the game."""
