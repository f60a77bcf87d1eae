// Pages of docs that a tool writes come in the shape that `npm run check` wants.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatted } from './docs/format.ts';

/** `place` is a path or a file's URL. */
export async function writePage(place, text) {
  writeFileSync(pathOf(place), await shaped(place, text));
}

/** The text as it would be written there. */
export async function shaped(place, text) {
  const path = pathOf(place);
  return formatted(path, text);
}

function pathOf(place) {
  return place instanceof URL ? fileURLToPath(place) : place;
}
