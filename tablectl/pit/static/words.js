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

/** Write how long something waits by this page's clock: `waits 4:07`. A clock that runs behind makes it no less than 0. */
export function waiting(since) {
  const seconds = Math.max(0, Math.floor((Date.now() - new Date(since).getTime()) / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first, ...rest] = parts[0] ? parts : parts.slice(1);
  return `waits ${[first, ...rest.map((part) => String(part).padStart(2, "0"))].join(":")}`;
}

/** Write a date as `30 Nov`. */
export function dayOf(date) {
  const day = new Date(`${date}T12:00:00`);
  return Number.isNaN(day.getTime()) ? date : day.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

export function plural(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
