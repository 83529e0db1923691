/** Words, amounts and times as people read them. */

export const PHASES = {
  closed: "Closed",
  between: "Between rounds",
  wagers: "Wagers open",
  dealing: "Dealing",
  decisions: "Decisions",
  settling: "Settling",
  clearing: "Clearing",
};

/** What became of a wager: a word and a sign, so that colour is never alone. */
export const OUTCOMES = {
  win: { word: "Win", sign: "▲" },
  lose: { word: "Lose", sign: "▼" },
  push: { word: "Push", sign: "=" },
  void: { word: "Void", sign: "∅" },
  "no-action": { word: "No action", sign: "○" },
};

export const PLACES = {
  rack: "in the rack",
  shuffler: "in the shuffler",
  ready: "ready",
  shoe: "in the shoe",
  removed: "removed",
};

export const COUNTED = {
  ok: "counted",
  wrong: "count wrong",
  "not-counted": "not counted",
  unknown: "count unknown",
};

/** `pai-gow-poker` is `Pai gow poker`. */
export function humanise(name) {
  return capital(name.replaceAll("-", " "));
}

/** Write the first letter large. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Write minor units; whole amounts stand without the point, as on chips. */
export function money(amount, currency) {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits).replace(/\.0+$/, "");
}

/** Write an RFC 3339 time as the clock on this wall shows it, with the day if it was another. */
export function clock(ts) {
  const time = new Date(ts);
  if (Number.isNaN(time.getTime())) return "";
  const hours = time.toLocaleTimeString("en-GB");
  return time.toDateString() === new Date().toDateString()
    ? hours
    : `${hours} on ${time.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}`;
}

export function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
