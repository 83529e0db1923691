/** The layout of one table, seen from the pit: the dealer below, position 1 at the left, as at the dealer's left hand. */

import { cardRow, diceRow } from "./cards.js";
import { h } from "./patch.js";
import { OUTCOMES, capital, money } from "./words.js";

/** Boxes printed on a layout, left to right as the dealer sees them; other areas stand in the order they were dealt. */
const BOXES = {
  "red-dog": ["left", "middle", "right"],
  "mississippi-stud": ["3rd street", "4th street", "5th street"],
  "mini-tex-3-card-holdem": ["flop", "river"],
};

/** What a hand is called that stands on no line of its pay table. */
const NOTHING = "nothing";

const OF_A_HAND = / \d+(\.\w+)?: /;

/** Draw the felt with all that lies on it. */
export function felt(state, places = 0) {
  const positions = everyPosition(state.positions ?? [], places);
  const shared = positions.every(({ hands = {} }) => Object.values(hands).every(isBare));
  return h(
    "section",
    {
      class: `felt${shared ? " shared" : ""}`,
      "aria-label": "Layout, seen from the pit; position 1 is at the dealer's left",
      vars: { "--places": Math.max(positions.length, 1) },
    },
    h("ol", { class: "arc" }, positions.map((position, index) => drawPosition(position, rise(index, positions.length), state))),
    h("div", { class: "middle" }, boxes(state), shared && drawCalls(state.calls)),
    h("div", { class: "near" }, drawDice(state.dice), drawDealer(state), !shared && drawCalls(state.calls)),
  );
}

/** Fill the gaps: a position at which nothing lies may be left out of the state. */
function everyPosition(told, places) {
  const last = Math.max(places, ...told.map(({ position }) => position));
  const known = new Map(told.map((position) => [position.position, position]));
  return Array.from({ length: last }, (_, index) => known.get(index + 1) ?? { position: index + 1 });
}

/** How far a position lies below the middle of the arc, 0 to 1. */
function rise(index, count) {
  const aside = count > 1 ? (2 * index) / (count - 1) - 1 : 0;
  return (1 - Math.sqrt(1 - 0.81 * aside * aside)) / (1 - Math.sqrt(0.19));
}

function drawPosition({ position, wagers = [], hands = {} }, drop, state) {
  const vacant = wagers.length === 0 && Object.keys(hands).length === 0;
  return h(
    "li",
    {
      key: position,
      class: `position${vacant ? " vacant" : ""}`,
      "aria-label": `Position ${position}${vacant ? ", empty" : ""}`,
      "aria-current": isAwaited(position, state.awaited) ? "true" : null,
      vars: { "--drop": drop.toFixed(3), "--hands": Object.keys(hands).length || 1 },
    },
    h("span", { class: "number", "aria-hidden": "true" }, position),
    Object.entries(hands).map(([name, hand]) => drawHand(name, hand, state, wagers)),
    h("ul", { class: "wagers", "aria-label": "Wagers" }, wagers.map((wager) => drawWager(wager, state))),
  );
}

/** Whether it is this position's turn; while wagers are open it is everybody's, which says nothing. */
function isAwaited(position, awaited) {
  if (!awaited || awaited.step === "wagers") return false;
  return [awaited.hand ?? "", ...(awaited.hands ?? [])].some((hand) => hand.split(".")[0] === String(position));
}

function isBare({ cards = [], high = [], low = [] }) {
  return cards.length + high.length + low.length === 0;
}

/** What a wager already says, its raise or its outcome, is not said twice; that a hand is nothing says its lost wager. */
function drawHand(name, hand, state, wagers = []) {
  const { decision, result } = hand;
  const raised = wagers.some(({ wager }) => wager === decision);
  const settled = result === NOTHING || wagers.some(({ outcome }) => outcome === result);
  return h(
    "div",
    { key: name, class: "hand" },
    cardsOf(hand, backInPlay(state)),
    decision && !raised && h("span", { class: "decision" }, capital(decision)),
    result && !settled && h("span", { class: "result" }, OUTCOMES[result]?.word ?? capital(result)),
  );
}

function cardsOf({ cards = [], high = [], low = [] }, back) {
  const rows = high.length + low.length ? { "High hand": high, "Low hand": low } : { Cards: cards };
  return Object.entries(rows)
    .filter(([, row]) => row.length)
    .map(([label, row]) => cardRow(row, { label, back, fan: true }));
}

function drawWager(wager, state) {
  const { outcome } = wager;
  return h(
    "li",
    { key: `${wager.wager} ${wager.owner ?? ""}`, class: "wager", "data-outcome": outcome ?? "open" },
    h("span", { class: isMain(wager.wager, state.game) ? "what main" : "what" }, capital(wager.wager), wager.owner && ` (${wager.owner})`),
    h("span", { class: "chips" }, h("i", { class: "chip", "aria-hidden": "true" }), stake(wager, state.currency)),
    outcome && h("span", { class: "outcome" }, h("b", null, `${OUTCOMES[outcome].sign}\u00a0${OUTCOMES[outcome].word}`), pays(wager, state.currency)),
  );
}

/** The wager that everybody at the table has needs no name. */
function isMain(wager, game = "") {
  return wager === "original" || wager === game.replaceAll("-", " ");
}

function stake({ amount }, currency = "USD") {
  return amount === undefined || amount === null ? h("span", { class: "unseen" }, "amount not seen") : money(amount, currency);
}

function pays({ outcome, odds, paid }, currency = "USD") {
  if (outcome !== "win") return null;
  return [
    odds && h("span", { class: "odds" }, `${odds[0]} to ${odds[1]}`),
    paid && h("span", { class: "paid" }, `+${money(paid, currency)}`),
  ];
}

function boxes(state) {
  const printed = BOXES[state.game] ?? [];
  const dealt = Object.keys(state.areas ?? {}).filter((name) => name !== "dealer" && !printed.includes(name));
  const names = [...printed, ...dealt];
  return names.length > 0 && h("div", { class: "boxes" }, names.map((name) => drawBox(name, state)));
}

function drawBox(name, state) {
  const cards = state.areas?.[name]?.cards ?? [];
  return h(
    "figure",
    { key: name, class: `box${cards.length ? "" : " empty"}` },
    cards.length ? cardRow(cards, { label: capital(name), back: backInPlay(state) }) : h("span", { class: "card outline" }),
    h("figcaption", null, capital(name)),
  );
}

function drawDice(dice) {
  if (!dice) return null;
  return h(
    "figure",
    { class: "shaker" },
    dice.roll && diceRow(dice.roll),
    h("figcaption", null, diceWords(dice).map((words) => h("span", { key: words }, words))),
  );
}

function diceWords({ total, no_roll: noRoll, count, start }) {
  if (noRoll) return [`No roll: ${noRoll}`];
  const starts = start && `${/^\d/.test(start) ? `position ${start}` : start} starts`;
  return [total && `Total ${total}`, count && `count ${count}`, starts].filter(Boolean);
}

/** What was called of a hand stands at the hand; here stands what was called of the round. */
function drawCalls(calls = []) {
  const common = calls.filter((call) => !OF_A_HAND.test(call));
  if (common.length === 0) return null;
  return h(
    "p",
    { class: "calls" },
    common.slice(-3).map((call, index, shown) => h("span", { key: `${index} ${call}`, class: index === shown.length - 1 ? "call latest" : "call" }, capital(call))),
  );
}

function drawDealer(state) {
  const hand = state.areas?.dealer;
  return h(
    "div",
    { class: "dealer", "aria-current": state.awaited?.hand === "dealer" ? "true" : null },
    hand && drawHand("dealer", hand, state),
    h("span", { class: "rail" }, state.dealer ? `Dealer ${state.dealer}` : "Dealer", lyingThere(state)),
  );
}

/** The last round stays on the layout until the first wager of the next. */
function lyingThere({ round, layout_round: lying }) {
  return Boolean(lying) && lying !== round && h("b", { class: "past" }, ` round ${lying} still lies here`);
}

/** The colour of the backs in play, for face-down cards. */
function backInPlay(state) {
  return (state.decks ?? []).find(({ place }) => place === "shoe")?.back ?? "";
}
