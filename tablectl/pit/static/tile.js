/** One table: what is to be known of it at a glance, loud things first. */

import { felt } from "./layout.js";
import { h } from "./patch.js";
import { COUNTED, PHASES, PLACES, clock, dayOf, humanise, money, plural, waiting } from "./words.js";

/** Draw the tile of a table. */
export function tile(id, table) {
  const notices = noticesOf(table);
  const state = table.state ?? {};
  return h(
    "article",
    {
      key: id,
      class: "tile",
      "data-table": id,
      "data-tone": notices[0]?.tone ?? "calm",
      "data-live": table.silent ? "no" : "yes",
      "aria-labelledby": `name-${id}`,
    },
    h(
      "div",
      { class: "inner" },
      head(id, state, table.meta?.title),
      h("div", { class: "notices", role: "alert" }, notices.map(drawNotice)),
      table.state ? felt(state, table.meta?.positions) : h("p", { class: "hint" }, "Nothing is known of this table yet."),
      awaited(state),
      foot(table, state),
    ),
  );
}

/** Say what somebody should look at, the most urgent first. */
export function noticesOf(table) {
  const state = table.state ?? {};
  const alarms = alarmsOf(table);
  const holds = ({ text }) => text === state.suspended;
  return [
    table.silent && { tone: "silent", title: silentTitle(table.silent), text: table.silent.reason },
    ...alarms.map((alarm) => ({ tone: "alarm", title: holds(alarm) ? "Suspended" : "Alarm", ...alarm })),
    state.suspended && !alarms.some(holds) && { tone: "suspended", title: "Suspended", text: state.suspended },
    ...(state.tests ?? []).map(({ device, reason, running }) => ({
      tone: "suspended",
      title: running ? "Device is tested" : "Device must be tested",
      text: [device, reason].filter(Boolean).join(": "),
    })),
    state.floor_called && { tone: "floor", title: "Floor called", text: state.floor_called, since: state.floor_since },
    ...Object.values(table.faults ?? {}).map((text) => ({ tone: "fault", title: "Display", text })),
  ].filter(Boolean);
}

/** Devices as the table tells them: the name, whether it is well, and in which words. */
export function devicesOf(table) {
  return Object.entries(table.devices ?? {})
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, device]) => ({ name, ...device, ...health(device) }));
}

/** Write a deck in a line. */
export function deckWords({ back, place, counted, rounds_since_count: rounds = 0, received }) {
  const since = rounds ? `, ${plural(rounds, "round")} since the count` : "";
  const came = received ? `, at the table since ${clock(received)}` : "";
  return `${back} backs, ${PLACES[place] ?? place}, ${COUNTED[counted] ?? counted}${since}${came}`;
}

/** Write a round that is over in a line. */
export function roundWords({ result, text, staked, paid, collected }, currency = "USD") {
  const sums = [["staked", staked], ["paid", paid], ["collected", collected]]
    .filter(([, amount]) => amount)
    .map(([word, amount]) => `${word} ${money(amount, currency)}`);
  return [text || humanise(result), ...sums].join(", ");
}

function silentTitle({ since }) {
  return since ? `Silent since ${clock(since)}` : "Silent";
}

/** The alarms topic is the list in force; a state alone still tells of them. A call has a notice of its own. */
function alarmsOf(table) {
  const told = table.alarms ?? table.state?.alarms ?? [];
  return table.state?.floor_called ? told.filter(({ alarm }) => alarm !== "floor") : told;
}

function health({ online, state, reason, conditions = [] }) {
  const words = online ? conditions : ["offline", reason, ...conditions];
  const well = online && conditions.length === 0 && state !== "unknown";
  return { well, words: humanise(words.filter(Boolean).join(", ") || state) };
}

function head(id, state, title) {
  return h(
    "header",
    { class: "head" },
    h("h2", { id: `name-${id}` }, h("a", { href: `#${id}` }, id.toUpperCase())),
    h(
      "p",
      { class: "game" },
      h("b", null, title || (state.game ? humanise(state.game) : "Unknown game")),
      state.variant && state.variant !== "base" && h("span", { class: "variant" }, humanise(state.variant)),
      state.mode === "rehearsal" && h("span", { class: "tag rehearsal" }, "Rehearsal"),
      Boolean(state.unconfirmed) && h("span", { class: "tag unconfirmed", title: plural(state.unconfirmed, "clause") }, "Unconfirmed rules"),
    ),
    h(
      "dl",
      { class: "facts" },
      state.day && fact("Day", [dayOf(state.day), state.shift].filter(Boolean).join(" · ")),
      fact("Round", state.round || "–"),
      fact("Phase", phaseWords(state)),
    ),
  );
}

function phaseWords({ phase, open, dead }) {
  if ((phase === "between" || !phase) && !open) return "Closed";
  return dead ? "Dead game" : (PHASES[phase] ?? humanise(phase));
}

function fact(name, value) {
  return h("div", { key: name, class: "fact" }, h("dt", null, name), h("dd", null, value));
}

function drawNotice({ tone, title, text, clause, latched, since }, index) {
  return h(
    "p",
    { key: `${tone} ${index}`, class: "notice", "data-tone": tone },
    h("b", null, title),
    text && h("span", { class: "text" }, text),
    since && h("time", { class: "waiting", datetime: since }, waiting(since)),
    latched && h("span", { class: "text" }, "a supervisor must clear it"),
    clause && h("cite", null, clause),
  );
}

function awaited({ awaited: next }) {
  if (!next) return h("p", { class: "awaited idle" }, h("b", null, "Nothing awaited"));
  return h(
    "p",
    { class: "awaited", "data-who": next.who },
    h("b", null, humanise(next.who)),
    h("span", { class: "prompt" }, next.prompt),
    next.clause && h("cite", null, next.clause),
  );
}

function foot(table, state) {
  const last = state.last?.[0];
  return h(
    "footer",
    { class: "foot" },
    h("ul", { class: "devices", "aria-label": "Devices" }, devicesOf(table).map(drawDevice)),
    h("ul", { class: "decks", "aria-label": "Decks" }, (state.decks ?? []).map(drawDeck)),
    last && h("p", { class: "last" }, h("b", null, `Round ${last.round}`), ` ${roundWords(last, state.currency)}`),
  );
}

function drawDevice({ name, well, words }) {
  return h("li", { key: name, class: "device", "data-well": well ? "yes" : "no" }, h("b", null, name), ` ${words}`);
}

function drawDeck(deck) {
  return h("li", { key: deck.deck, class: "deck" }, h("b", null, `Deck ${deck.deck}`), ` ${deckWords({ ...deck, received: "" })}`);
}
