/** One table alone, with all that the tile has no room for. */

import { h } from "./patch.js";
import { deckWords, devicesOf, roundWords, tile } from "./tile.js";
import { clock, humanise } from "./words.js";

/** Draw a table and its record. */
export function focusView(id, table) {
  return [tile(id, table), h("aside", { key: `record-${id}`, class: "record", "aria-label": `Record of table ${id}` }, sections(table))];
}

function sections(table) {
  const state = table.state ?? {};
  return [
    section("Last events", "events", (table.events ?? []).map(drawEvent)),
    section("Last rounds", "rounds", (state.last ?? []).map((round) => drawRound(round, state.currency))),
    section("Devices", "machines", devicesOf(table).map(drawMachine)),
    section("Decks", "packs", (state.decks ?? []).map((deck) => row(deck.deck, `Deck ${deck.deck}`, deckWords(deck)))),
    state.dice_set && section("Dice", "dice-set", [row("dice", `Dice ${state.dice_set.dice}`, diceWords(state.dice_set))]),
    section("Layout", "layout", layoutOf(table.meta ?? {})),
    section("Rules", "rules", rules(table.meta ?? {})),
  ];
}

function section(title, name, rows) {
  return h(
    "section",
    { key: name, class: name },
    h("h3", null, title),
    rows.some(Boolean) ? h("ul", null, rows) : h("p", { class: "hint" }, "None told yet."),
  );
}

function diceWords({ received, inspected }) {
  return `at the table since ${clock(received)}${inspected ? `, inspected ${clock(inspected)}` : ", not inspected"}`;
}

function drawEvent({ id, ts, text, round, loud }, index, events) {
  const another = round && round !== events[index - 1]?.round;
  return h(
    "li",
    { key: id, "data-loud": loud ? "yes" : "no" },
    h("time", { datetime: ts }, clock(ts)),
    h("span", { class: "text" }, loud && h("b", null, "! "), text),
    Boolean(another) && h("span", { class: "aside" }, `round ${round}`),
  );
}

function drawRound(round, currency) {
  return row(round.round, `Round ${round.round}`, roundWords(round, currency));
}

function drawMachine({ name, words, well, kinds = [], model, serial, firmware }) {
  const about = [kinds.map(humanise).join(", "), model, serial && `serial ${serial}`, firmware && `firmware ${firmware}`];
  return h(
    "li",
    { key: name, "data-loud": well ? "no" : "yes" },
    h("b", null, name),
    h("span", { class: "text" }, well ? words : `! ${words}`),
    h("span", { class: "aside" }, about.filter(Boolean).join(" · ")),
  );
}

function layoutOf({ wagers, cards = {} }) {
  const sight = Object.entries(cards).map(([area, seen]) => `${area} ${seen}`);
  return [
    row("view", "Layout", "seen from the pit; position 1 is at the dealer’s left"),
    wagers && row("wagers", "Wagers", humanise(wagers)),
    sight.length > 0 && row("cards", "Cards", sight.join(", ")),
  ];
}

function rules({ checks_off: off = [], unconfirmed = [], program }) {
  return [
    ...unconfirmed.map((clause) => row(clause, "Unconfirmed", clause)),
    ...off.map((check) => row(check, "Not checked", check)),
    program && row("program", "Program", program),
  ];
}

function row(key, title, text) {
  return h("li", { key }, h("b", null, title), h("span", { class: "text" }, text));
}
