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
    section("Last rounds", "rounds", [...(state.last ?? [])].reverse().map((round) => drawRound(round, state.currency))),
    section("Devices", "machines", devicesOf(table).map(drawMachine)),
    section("Decks", "packs", (state.decks ?? []).map((deck) => row(deck.deck, `Deck ${deck.deck}`, deckWords(deck)))),
    section("Rules", "rules", rules(state, table.meta)),
  ];
}

function section(title, name, rows) {
  return h(
    "section",
    { key: name, class: name },
    h("h3", null, title),
    rows.length ? h("ul", null, rows) : h("p", { class: "hint" }, "None told yet."),
  );
}

function drawEvent({ id, ts, text, round, loud }) {
  return h(
    "li",
    { key: id, "data-loud": loud ? "yes" : "no" },
    h("time", { datetime: ts }, clock(ts)),
    h("span", { class: "text" }, loud && h("b", null, "! "), text),
    Boolean(round) && h("span", { class: "aside" }, `round ${round}`),
  );
}

function drawRound(round, currency) {
  return row(round.round, `Round ${round.round}`, roundWords(round, currency));
}

function drawMachine({ name, words, well, model, serial, firmware, kinds = [] }) {
  const about = [kinds.map(humanise).join(", "), model, serial && `serial ${serial}`, firmware && `firmware ${firmware}`];
  return h(
    "li",
    { key: name, "data-loud": well ? "no" : "yes" },
    h("b", null, name),
    h("span", { class: "text" }, well ? words : `! ${words}`),
    h("span", { class: "aside" }, about.filter(Boolean).join(" · ")),
  );
}

function rules(state, meta) {
  const standing = Object.entries(meta ?? {}).filter(([name, value]) => name !== "v" && isPlain(value));
  return [
    state.unconfirmed ? row("unconfirmed", "Unconfirmed", `${state.unconfirmed} clauses are not confirmed New Jersey text`) : null,
    ...standing.map(([name, value]) => row(name, humanise(name.replaceAll("_", "-")), [value].flat().join(", "))),
  ].filter(Boolean);
}

/** What can be read in a line: a word, a number, or a list of them. */
function isPlain(value) {
  return [value].flat().every((item) => ["string", "number"].includes(typeof item)) && [value].flat().length > 0;
}

function row(key, title, text) {
  return h("li", { key }, h("b", null, title), h("span", { class: "text" }, text));
}
