/** Making what lies on a felt fit: the layout shrinks as a whole rather than that anything is cut off. */

const TRIES = 4;
const SMALLEST = 0.45;

/** Fit the felt of each of these tiles. */
export function fit(tiles) {
  for (const tile of tiles) {
    const felt = tile.querySelector(".felt");
    if (felt) fitFelt(felt);
  }
}

/** Wrapped lines make the height no straight function of the size, so the right size is approached. */
function fitFelt(felt) {
  let size = 1;
  felt.style.setProperty("--fit", size);
  for (let tries = 0; tries < TRIES && felt.scrollHeight > felt.clientHeight + 1 && size > SMALLEST; tries += 1) {
    size = Math.max(SMALLEST, size * Math.max(0.8, felt.clientHeight / felt.scrollHeight));
    felt.style.setProperty("--fit", size);
  }
}
