"""A round as one HTML file that needs nothing else: its layout drawn card by card, and the whole story beside it."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files

from tablectl.cards import UNSEEN, Card, Rank, Suit
from tablectl.money import format_amount
from tablectl.recall.forms import Hand, Line, Lying, Round, Stake
from tablectl.recall.text import about, became, by_place, heading, place, position_of, record, staked, written

_SHAPES = {
    Suit.HEARTS: "M16 29C6 20 2 15 2 10A7 7 0 0 1 16 8A7 7 0 0 1 30 10C30 15 26 20 16 29Z",
    Suit.DIAMONDS: "M16 1Q21 10 28 16Q21 22 16 31Q11 22 4 16Q11 10 16 1Z",
    Suit.SPADES: "M16 2C26 11 30 15 30 20A6.600 6.600 0 0 1 18 23C18 26 19 28 21 30H11C13 28 14 26 14 23"
    "A6.600 6.600 0 0 1 2 20C2 15 6 11 16 2Z",
    Suit.CLUBS: "M16 2a6.600 6.600 0 0 1 5.200 10.700a6.600 6.600 0 1 1 -3.200 10.800C18 26 19 28 21 30H11"
    "C13 28 14 26 14 23.500a6.600 6.600 0 1 1 -3.200 -10.800A6.600 6.600 0 0 1 16 2Z",
    "joker": "M16 1.500L20.300 11.500L31 12.400L22.900 19.500L25.300 30L16 24.400L6.700 30L9.100 19.500L1 12.400"
    "L11.700 11.500Z",
}
_FAN, _SHOWN = 2.9, 0.62
"""How wide a fan of cards may be, and how much of a covered card shows at most, in widths of a card."""
_FEW = 3
"""Cards that lie side by side."""


def as_page(rounds: list[Round]) -> str:
    """Write rounds as a page for a browser or a printer; without scripts it shows how each of them ended."""
    title = heading(rounds[0]) if len(rounds) == 1 else f"{len(rounds)} rounds of {rounds[0].table}"
    styles = f"{_file('tablectl.pit', 'static', 'cards.css')}\n{_file(__package__, 'page.css')}"
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{styles}</style>\n{_symbols()}\n{''.join(map(_round, rounds))}"
        f"<script>\n{_file(__package__, 'page.js')}</script>\n</html>\n"
    )


def _file(package: str, *path: str) -> str:
    return files(package).joinpath(*path).read_text(encoding="utf-8")


def _tag(name: str, *inside: str, **attributes: object) -> str:
    """Write an element around what is HTML already; an attribute of None is left out, and ``_`` in a name is ``-``."""
    written_out = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written_out}>{''.join(inside)}</{name}>"


def _symbols() -> str:
    shapes = (f'<symbol id="{name}" viewBox="0 0 32 32"><path d="{path}"/></symbol>' for name, path in _SHAPES.items())
    return f'<svg width="0" height="0" aria-hidden="true">{"".join(shapes)}</svg>'


def _round(round_: Round) -> str:
    return _tag(
        "article",
        _head(round_),
        _tag("section", _layout(round_), _player(), class_="table", aria_label="The layout"),
        _tag(
            "div",
            _section("Wagers and payments", _payments(round_)),
            _section("What happened", _story(round_)),
            _section("Picked up, in this order", _rack(round_)),
            class_="telling",
        ),
        _tag("footer", *(_tag("p", escape(text)) for text in record(round_))),
        data_steps=len(round_.lines),
    )


def _head(round_: Round) -> str:
    title, *parts = heading(round_).split(" · ")
    result = parts.pop()
    sums = escape(_sums(round_))
    rehearsal = "" if round_.mode == "live" else _tag("p", "Rehearsal, not live play.", class_="mode")
    return _tag(
        "header",
        _tag("h1", escape(title), _tag("b", escape(result), class_="result", data_result=round_.result)),
        _tag("p", escape(" · ".join(parts)), class_="where"),
        *(_tag("p", escape(text)) for text in about(round_)),
        _tag("p", sums) if sums else "",
        rehearsal,
    )


def _sums(round_: Round) -> str:

    if not round_.staked:
        return ""
    amounts = (format_amount(amount, round_.currency) for amount in (round_.staked, round_.paid, round_.collected))
    return "Staked {}, paid {}, collected {} {}".format(*amounts, round_.currency)


def _section(title: str, inside: str) -> str:
    return _tag("section", _tag("h2", title), inside) if inside else ""


# The layout, as it is seen from behind the dealer


def _layout(round_: Round) -> str:
    hands = by_place(round_)
    placed = [position_of(each) for each in hands] + [position_of(each) for each in round_.stakes]
    numbers = sorted({position[0] for position in placed if position})
    areas = [hand for hand in hands if not position_of(hand)]
    of_dealer = [hand for hand in areas if hand.hand.partition(".")[0] == "dealer"]
    boxes = "".join(_area(hand, round_) for hand in areas if hand not in of_dealer)
    dealer = "".join(_area(hand, round_) for hand in of_dealer)
    return _tag(
        "div",
        _tag("div", *(_position(number, round_, hands) for number in numbers), class_="positions"),
        _tag("div", boxes, _dice(round_), class_="boxes") if boxes or round_.roll else "",
        _tag("div", dealer, class_="dealer") if dealer else "",
        class_="felt",
    )


def _position(number: int, round_: Round, hands: list[Hand]) -> str:
    stakes = [stake for stake in round_.stakes if position_of(stake)[:1] == (number,)]
    played = [hand for hand in hands if position_of(hand)[:1] == (number,)]
    return _tag(
        "div",
        _tag("h3", str(number), aria_label=f"Position {number}"),
        *(_hand(hand, round_) for hand in played),
        _tag("ul", *(_chip(stake, round_.currency) for stake in stakes)) if stakes else "",
        class_="position" if stakes else "position idle",
    )


def _area(hand: Hand, round_: Round) -> str:
    return _tag("div", _tag("h3", escape(place(hand.hand))), _hand(hand, round_), class_="area")


def _hand(hand: Hand, round_: Round) -> str:
    back = round_.deck.back.lower()
    lying = _cards(hand.cards, back, place(hand.hand))
    set_ = "".join(
        _cards([Lying(card, hand.set_at, hand.set_at) for card in cards], back, f"{place(hand.hand)}, {part}")
        for part, cards in (("high", hand.high), ("low", hand.low))
    )
    return _tag(
        "div",
        _tag("div", lying, data_to=hand.set_at or None),
        _tag("div", set_, class_="set", data_from=hand.set_at) if hand.set_at else "",
        _decisions(hand),
        *(
            _tag("p", escape(f"{judged.what}: {judged.answer}"), class_="judged", data_from=judged.step)
            for judged in hand.judged
        ),
        class_="hand",
    )


def _decisions(hand: Hand) -> str:
    each = (_tag("span", escape(decided.choice), data_from=decided.step) for decided in hand.decisions)
    return _tag("p", *each, class_="said") if hand.decisions else ""


def _cards(cards: list[Lying], back: str, label: str) -> str:
    step = min(_SHOWN, (_FAN - 1) / max(1, len(cards) - 1))
    fan = " fan" if len(cards) > _FEW else ""
    shown = "".join(_card(lying, back) for lying in cards)
    return _tag("div", shown, class_=f"cards{fan}", style=f"--step:{step:.3f}", role="group", aria_label=label)


def _card(lying: Lying, back: str) -> str:
    covered = lying.shown is not None and lying.shown > lying.dealt
    cover = _tag("span", class_="card", data_face="down", data_back=back, data_to=lying.shown) if covered else ""
    about_it = {"class_": "card", "role": "img", "aria_label": _name(lying.card), "data_from": lying.dealt}
    if lying.card is UNSEEN:
        return _tag("span", **about_it, data_face="down", data_back=back)
    suit, rank = lying.card.suit, "JK" if lying.card.suit is None else written([lying.card])[:-1]
    shape = "joker" if suit is None else str(suit)
    return _tag(
        "span",
        _tag("span", rank, class_="rank wide" if len(rank) > 1 else "rank"),
        *(
            f'<svg class="{size}" viewBox="0 0 32 32" aria-hidden="true"><use href="#{shape}"/></svg>'
            for size in ("small", "big")
        ),
        cover,
        **about_it,
        data_face="joker" if suit is None else "up",
        data_suit=suit,
    )


def _name(card: Card) -> str:
    if card is UNSEEN:
        return "face-down card"
    return "joker" if card.rank is Rank.JOKER or card.suit is None else f"{card.rank.word} of {card.suit.name.lower()}"


def _chip(stake: Stake, currency: str) -> str:
    outcome = "back" if stake.taken_back else str(stake.outcome or "open")
    after = _tag("b", escape(became(stake, currency)), data_from=stake.settled or None, data_outcome=outcome)
    return _tag(
        "li",
        _tag("span", escape(stake.wager), class_="wager"),
        _tag("span", escape(staked(stake, currency)), class_="amount"),
        after,
        data_from=stake.placed,
    )


def _dice(round_: Round) -> str:
    if not round_.roll:
        return ""
    start = f"{place(round_.start)} gets the first cards" if round_.start else ""
    faces = (_tag("b", escape(str(die))) for die in round_.roll.dice)
    return _tag(
        "div",
        _tag("h3", "Dice"),
        _tag("p", *faces, class_="roll"),
        _tag("p", escape(start), class_="judged"),
        class_="area",
        data_from=round_.rolled,
    )


def _player() -> str:
    keys = (
        ("first", "«", "To the beginning"),
        ("back", "\u2039", "One step back"),
        ("play", "Play", "Play from here"),
        ("on", "\u203a", "One step on"),
        ("last", "»", "To the end"),
    )

    def button(name: str, sign: str, label: str) -> str:
        return _tag("button", sign, type="button", data_go=name, aria_label=label, title=label)

    return _tag(
        "div",
        _tag("p", class_="caption", aria_live="polite"),
        _tag(
            "div",
            *(button(*key) for key in keys),
            '<input type="range" min="0" aria-label="Step">',
            class_="keys",
        ),
        class_="player",
        hidden="",
    )


# The story


def _payments(round_: Round) -> str:
    stakes = sorted(round_.stakes, key=position_of)
    return _tag("ul", *(_payment(stake, round_.currency) for stake in stakes), class_="payments") if stakes else ""


def _payment(stake: Stake, currency: str) -> str:
    return _tag(
        "li",
        _tag("span", escape(f"{place(stake.hand)}: {stake.wager}"), class_="wager"),
        _tag("span", escape(staked(stake, currency)), class_="amount"),
        _tag("b", escape(became(stake, currency)), data_outcome=str(stake.outcome or "open")),
        _tag("cite", escape(stake.clause)),
    )


def _story(round_: Round) -> str:
    return _tag("ol", *(_told(line) for line in round_.lines), class_="story")


def _told(line: Line) -> str:
    state = "taken-back" if line.taken_back else "loud" if line.loud else None
    return _tag(
        "li",
        _tag("time", line.ts[11:21], datetime=line.ts),
        _tag("span", escape(line.who), class_="who"),
        _tag("span", escape(line.text), class_="text"),
        _tag("cite", escape(line.clause)),
        class_=state,
        data_step=line.step,
        title=f"row {line.row}, event {line.seq}",
    )


def _rack(round_: Round) -> str:
    lines: Iterable[str] = (
        _tag("li", _tag("span", escape(place(each.hand))), _tag("b", escape(written(each.cards))))
        for each in round_.discards
    )
    return _tag("ol", *lines, class_="rack") if round_.discards else ""
