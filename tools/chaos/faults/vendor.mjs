/** Vendors that hang, reset, dribble, flood or send rubbish, and names that cannot be resolved. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setControl } from '../world.mjs';

const LONGEST_DEADLINE_MS = 2_500;
/** A machine that is busy with other things asks late. */
const MET_MS = 30_000;
const LOOK_MS = 50;

const misbehaving = (way, short) => ({
  name: `vendor: ${way}`,
  short,
  async run({ world: { relay }, seconds }) {
    relay.misbehave(way);
    for (const until = Date.now() + MET_MS; relay.met() === 0 && Date.now() < until;) await sleep(LOOK_MS);
    // It lasts from the first request that meets it.
    await sleep(Math.max(seconds * 1000, LONGEST_DEADLINE_MS));
    relay.behave();
    return relay.met() === 0 ? { faults: ['no request met the fault'] } : undefined;
  },
});

export const faults = [
  misbehaving('hang', true),
  misbehaving('half-open', false),
  misbehaving('reset', true),
  misbehaving('slow bytes', false),
  // What the flood leaves behind until it is collected counts, too; it does not grow with time.
  { ...misbehaving('huge reply', false), mostMb: 1_200 },
  misbehaving('broken gzip', false),
  {
    name: 'DNS failure',
    world: { vendorHost: 'vendor.chaos.test' },
    async run({ world, seconds }) {
      setControl(world, { dns: 'fails' });
      // Connections that are open need no name: they are cut.
      world.relay.dropConnections();
      await sleep(seconds * 1000);
      setControl(world, {});
    },
  },
];
