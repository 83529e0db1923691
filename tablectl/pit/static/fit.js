/** Making what lies on a felt as large as it can be: the layout scales as a whole, and nothing is ever cut off. */

/** Steps, so that a layout keeps its size while little changes on it. */
const SIZES = [0.4, 0.48, 0.56, 0.65, 0.75, 0.87, 1, 1.15, 1.3, 1.45];
const FIRST = SIZES.indexOf(1);
const chosen = new WeakMap();

/** Fit the felt of each of these tiles. */
export function fit(tiles) {
  for (const tile of tiles) {
    const felt = tile.querySelector(".felt");
    if (felt) chosen.set(felt, fitFelt(felt, chosen.get(felt) ?? FIRST));
  }
}

/** Wrapped lines make the height no straight function of the size, so sizes are tried, beginning with the last one. */
function fitFelt(felt, last) {
  const boxes = [felt, ...felt.querySelectorAll(".position")];
  const fits = (step) => {
    felt.style.setProperty("--fit", SIZES[step]);
    return !boxes.some(runsOver);
  };
  let step = last;
  while (!fits(step) && step > 0) step -= 1;
  if (step < last) return step;
  while (step + 1 < SIZES.length && hasRoom(felt, SIZES[step + 1] / SIZES[step])) {
    if (!fits(step + 1)) break;
    step += 1;
  }
  felt.style.setProperty("--fit", SIZES[step]);
  return step;
}

/** Whether it is worth trying: what lies there, enlarged, is at least not higher than the felt. */
function hasRoom(felt, growth) {
  const content = [...felt.children].reduce((sum, child) => sum + child.offsetHeight, 0);
  return content * growth <= felt.clientHeight;
}

function runsOver(box) {
  return box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
}
