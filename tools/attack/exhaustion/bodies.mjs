/** One body at a time, of every shape, at sizes that are taken and refused: how long does it hold the event loop up? */
import { CHATS, SIZES } from './shapes.mjs';
import { ask, MB, startWatched } from './gateway.mjs';

/** The bound that docs/architecture.md promises. */
export const MOST_DELAY_MS = 200;
const MOST_GROWTH_MB = 700;
const TRIES = 4;

/** `until`: when nothing more is begun, for a gateway that takes too long for all of them. */
export async function oneBodyAtATime({ short, say, only, until = Infinity }) {
  const gateway = await startWatched();
  const faults = [];
  const delays = [];
  try {
    const idle = await ready(gateway);
    for (const [name, bodyOf] of Object.entries(CHATS)) {
      if (only !== undefined && !only(name)) continue;
      for (const [size, bytes] of Object.entries(short ? { most: 24 * MB, dear: SIZES.dear } : SIZES)) {
        if (Date.now() > until) continue;
        const [path, text] = bodyOf(bytes);
        const body = Buffer.from(text);
        const { status, told, delayMs, peakBytes } = await leastOf(TRIES, gateway, path, body);
        const grown = (peakBytes - idle.peakBytes) / MB;
        say(
          `${name} (${(body.length / MB).toFixed(1)} MB): ${status}, ${delayMs.toFixed(0)} ms, +${grown.toFixed(0)} MB ${status === 200 ? '' : told.slice(0, 90)}`,
        );
        delays.push({ name: `${name}, ${size}`, delayMs });
        if (delayMs > MOST_DELAY_MS)
          faults.push(`${name} (${size}) held the event loop up for ${delayMs.toFixed(0)} ms`);
        if (grown > MOST_GROWTH_MB) faults.push(`${name} (${size}) took ${grown.toFixed(0)} MB`);
        if (status === 0 || status >= 500)
          faults.push(`${name} (${size}) was answered with ${status}: ${told.slice(0, 200)}`);
      }
    }
  } finally {
    await gateway.stop();
  }
  const [worst] = delays.toSorted((a, b) => b.delayMs - a.delayMs);
  return {
    measured: `${delays.length} bodies, longest delay ${worst?.delayMs.toFixed(0)} ms (${worst?.name})`,
    faults,
  };
}

/** Other work of the machine delays, too: what is over the bound is tried again, and the shortest delay counts. */
async function leastOf(tries, gateway, path, body) {
  let least;
  for (let turn = 0; turn < tries && (least === undefined || least.delayMs > MOST_DELAY_MS); turn++) {
    const { status, text: told } = await ask(gateway.url, path, { body });
    const seen = { ...(await gateway.look()), status, told };
    if (least === undefined || seen.delayMs < least.delayMs) least = seen;
  }
  return least;
}

/** Compiled and warm, so that its own start is not measured. */
async function ready(gateway) {
  for (const [path, text] of Object.values(CHATS).map((bodyOf) => bodyOf(2_000)))
    for (let turn = 0; turn < 20; turn++) await ask(gateway.url, path, { body: Buffer.from(text) });
  await gateway.look();
  return gateway.look();
}
