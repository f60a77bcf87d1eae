// What stays in memory: at the start, after many chats, with many open streams. Each in processes started for it.
import { openIdleStreams, startClosedLoad } from '../load.mjs';
import { pause } from '../processes.mjs';
import { idleStreamBytes } from '../requests.mjs';
import { rowOf } from '../table.mjs';
import { chatBytes } from '../requests.mjs';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS = 64;
const SETTLE_MS = 2000;
/** The gateway gives memory back after half a minute of quiet, at a look every five seconds. */
const QUIET_MS = 42_000;
/** Where the memory with the open streams sits. */
const KINDS = {
  program: 'Node’s program, shared with others',
  heap: 'objects of JavaScript',
  code: 'compiled code',
  native: 'compilers, buffers, SQLite, sockets',
};

export async function memoryRows({ startFresh, columns, isQuick }) {
  const chats = isQuick ? 10_000 : 50_000;
  const streams = isQuick ? 200 : 1000;
  const samples = {};
  for (const [name, start] of Object.entries(startFresh)) {
    const withTwin = await start.withTwin?.();
    await pause(SETTLE_MS);
    const twin = withTwin === undefined ? undefined : { withTwin: withTwin.resident() / MEGABYTE };
    await withTwin?.stop();
    const target = await start();
    samples[name] = [{ ...twin, ...(await fill(target, chats, streams)) }];
    await target.stop();
  }
  const { floor: _, ...gateways } = samples;
  const row = (fields) => rowOf({ samples, columns, ...fields });
  return [
    row({ what: 'resident at start, MB', number: 'atStart', budget: { most: 120, unit: ' MB' } }),
    row({ what: 'resident at start with twin, MB', number: 'withTwin', samples: gateways }),
    row({ what: `resident after ${chats} chats, MB`, number: 'afterChats', budget: { most: 220, unit: ' MB' } }),
    row({ what: 'resident half a minute later, MB', number: 'afterRest', budget: { most: 220, unit: ' MB' } }),
    row({
      what: `resident with ${streams} open streams, MB`,
      number: 'withStreams',
      budget: { most: 220, unit: ' MB' },
    }),
    ...Object.entries(KINDS).map(([kind, name]) => row({ what: `of it ${name}, MB`, number: kind })),
    row({ what: 'an idle open stream, KB', number: 'perStream', budget: { most: 60, unit: ' KB' } }),
  ];
}

async function fill(target, chats, streams) {
  const { port } = target;
  await pause(SETTLE_MS);
  const atStart = target.resident();
  const request = chatBytes(port, 'bench-model');
  const load = startClosedLoad({ port, connections: CONNECTIONS, bytes: () => request, requests: chats });
  await load.finished;
  if (load.counts.errors > 0) throw new Error(`${target.name}: ${load.counts.errors} of ${chats} chats failed`);
  const afterChats = target.resident();
  await pause(QUIET_MS);
  const afterRest = target.resident();
  const open = await openIdleStreams({
    port,
    count: streams,
    bytes: (id) => idleStreamBytes(port, 'bench-model', id),
  });
  const withStreams = target.resident();
  const map = target.memoryMap();
  // What opening them left behind is not what they are.
  await pause(QUIET_MS);
  const whileOpen = target.resident();
  if (open.counts.errors > 0)
    throw new Error(`${target.name}: ${open.counts.errors} of ${streams} open streams failed`);
  open.close();
  return {
    atStart: atStart / MEGABYTE,
    afterChats: afterChats / MEGABYTE,
    afterRest: afterRest / MEGABYTE,
    withStreams: withStreams / MEGABYTE,
    ...Object.fromEntries(Object.entries(map).map(([kind, bytes]) => [kind, bytes / MEGABYTE])),
    perStream: (whileOpen - afterRest) / streams / 1024,
  };
}
