/** Cards and dice, drawn. */

import { h } from "./patch.js";

const RANKS = {
  A: "ace", K: "king", Q: "queen", J: "jack", T: "10",
  9: "9", 8: "8", 7: "7", 6: "6", 5: "5", 4: "4", 3: "3", 2: "2",
};
const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const SHAPES = {
  h: "M16 29C6 20 2 15 2 10A7 7 0 0 1 16 8A7 7 0 0 1 30 10C30 15 26 20 16 29Z",
  d: "M16 1.500Q20.500 9.500 27.500 16Q20.500 22.500 16 30.500Q11.500 22.500 4.500 16Q11.500 9.500 16 1.500Z",
  s: "M16 2C26 11 30 15 30 20A6.600 6.600 0 0 1 18 23C18 26 19 28 21 30H11C13 28 14 26 14 23A6.600 6.600 0 0 1 2 20C2 15 6 11 16 2Z",
  c: "M16 2a6.600 6.600 0 0 1 5.200 10.700a6.600 6.600 0 1 1 -3.200 10.800C18 26 19 28 21 30H11C13 28 14 26 14 23.500a6.600 6.600 0 1 1 -3.200 -10.800A6.600 6.600 0 0 1 16 2Z",
  joker: "M16 1.500L20.300 11.500L31 12.400L22.900 19.500L25.300 30L16 24.400L6.700 30L9.100 19.500L1 12.400L11.700 11.500Z",
};
const PIPS = { 1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi" };
const FAULTS = { cocked: "cocked", unread: "not read", out: "out of the shaker" };

/** How wide a fan of cards may be, and how much of a covered card shows at most, in widths of a card. */
const FAN = 2.9;
const SHOWN = 0.62;

/** Say which card it is, as a dealer would. */
export function cardName(card) {
  if (card === "??") return "face-down card";
  if (card === "Jk") return "joker";
  return `${RANKS[card[0]]} of ${SUITS[card[1]]}`;
}

/** Draw cards side by side; in a fan they cover one another so as to fit their position. */
export function cardRow(cards, { label, back = "", fan = false }) {
  const step = Math.min(SHOWN, (FAN - 1) / Math.max(1, cards.length - 1));
  return h(
    "span",
    { class: `cards${fan ? " fan" : ""}`, role: "group", "aria-label": label, vars: { "--step": step } },
    cards.map((card, index) => drawCard(card, index, back)),
  );
}

/** Draw three dice; a die without a value says why. */
export function diceRow(roll) {
  return h("span", { class: "dice", role: "group", "aria-label": "Dice" }, roll.map(drawDie));
}

function drawCard(card, index, back) {
  const attributes = { key: `${index} ${card}`, class: "card", role: "img", "aria-label": cardName(card) };
  if (card === "??") return h("span", { ...attributes, "data-face": "down", "data-back": back.toLowerCase() });
  if (card === "Jk") {
    return h("span", { ...attributes, "data-face": "joker" }, rank("JK"), shape("joker"), shape("joker", "big"));
  }
  const [letter, suit] = card;
  return h(
    "span",
    { ...attributes, "data-face": "up", "data-suit": suit },
    rank(letter === "T" ? "10" : letter), shape(suit), shape(suit, "big"),
  );
}

function rank(text) {
  return h("span", { class: text.length > 1 ? "rank wide" : "rank" }, text);
}

function shape(name, size = "small") {
  return h("svg", { class: size, viewBox: "0 0 32 32", "aria-hidden": "true" }, h("path", { d: SHAPES[name] }));
}

function drawDie(die, index) {
  const fault = FAULTS[die];
  return h(
    "span",
    { key: index, class: "die", role: "img", "data-die": die, "aria-label": fault ? `die ${fault}` : `die shows ${die}` },
    h(
      "span",
      { class: "face" },
      fault ? h("b", null, "?") : [...PIPS[die]].map((place) => h("i", { key: place, class: `pip ${place}` })),
    ),
    fault && h("span", { class: "fault" }, fault),
  );
}
