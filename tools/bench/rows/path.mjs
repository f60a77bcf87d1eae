// How much own code a plain forwarded chat runs before its vendor has the request: own files and own calls, counted by V8 in a gateway that
// runs its sources. Own is what stands under apps/ and libs/.
//
// The vendor holds its answers while V8 is asked, so that nothing after the vendor is counted. What runs by the clock is not the chat's: the counts
// are the difference between N chats and 2 N. Requests follow one another, so that none shares a turn of the event loop with another.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newCounts, openConnection } from '../connection.mjs';
import { pause } from '../processes.mjs';
import { chatBytes } from '../requests.mjs';
import { rowOf } from '../table.mjs';
import { startSources } from '../targets.mjs';
import { repliesFor } from '../upstream-replies.mjs';

const CHATS = 50;
const WARM_ROUNDS = 6;
/** What follows an answer (its charge, its line of the log) is over by then. */
const SETTLE_MS = 1500;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUDGET = { files: 30, calls: 200 };

export async function pathRows({ folder, columns }) {
  const counted = await countPath(join(folder, 'path'));
  console.log(`\n${asTable(counted)}`);
  const files = new Set(counted.map(({ file }) => file)).size;
  const calls = counted.reduce((sum, each) => sum + each.calls, 0);
  const samples = { now: [{ files, calls }] };
  const row = (fields) => rowOf({ samples, columns, ...fields });
  return [
    row({ what: 'chat, own files before the vendor', number: 'files', budget: { most: BUDGET.files } }),
    row({ what: 'chat, own calls before the vendor', number: 'calls', budget: { most: BUDGET.calls } }),
  ];
}

/** Functions with their calls for one chat: `{ file, name, calls }`. */
async function countPath(folder) {
  const vendor = await startHoldingVendor();
  const gateway = await startSources({ name: 'path', folder, upstreamPort: vendor.port });
  const inspector = await openInspector(gateway.inspector);
  try {
    const connections = Array.from({ length: 2 * CHATS }, () => openConnection(gateway.port, newCounts()));
    const round = (count) => holdChats({ connections: connections.slice(0, count), gateway, vendor, inspector });
    await inspector.ask('Profiler.enable');
    await inspector.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    for (let warm = 0; warm < WARM_ROUNDS; warm++) await round(2 * CHATS);
    const few = await round(CHATS);
    const many = await round(2 * CHATS);
    return [...many]
      .map(([key, { file, name, calls }]) => ({
        file,
        name,
        calls: Math.round((calls - (few.get(key)?.calls ?? 0)) / CHATS),
      }))
      .filter(({ calls }) => calls > 0);
  } finally {
    inspector.close();
    await gateway.stop();
    vendor.close();
  }
}

/** Sends a chat on each connection, the next when the vendor has the one before; resolves with what was called until the last arrived there. */
async function holdChats({ connections, gateway, vendor, inspector }) {
  const bytes = chatBytes(gateway.port, 'bench-model');
  await inspector.ask('Profiler.takePreciseCoverage');
  const answered = [];
  for (const connection of connections) {
    const arrival = vendor.nextArrival();
    answered.push(new Promise((resolve) => connection.send(bytes, resolve)));
    await arrival;
  }
  const { result } = await inspector.ask('Profiler.takePreciseCoverage');
  vendor.answerAll();
  await Promise.all(answered);
  await pause(SETTLE_MS);
  return ownCalls(result);
}

/** Taking the counts sets them to zero. A function is its script and where it begins. */
function ownCalls(scripts) {
  const calls = new Map();
  for (const { url, functions } of scripts) {
    const file = url.startsWith(`file://${ROOT}`) ? url.slice(`file://${ROOT}`.length) : '';
    if (!/^(apps|libs)\//.test(file) || file.includes('/node_modules/')) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, count }] = ranges;
      if (count > 0)
        calls.set(`${file}:${startOffset}`, { file, name: functionName || '(arrow function)', calls: count });
    }
  }
  return calls;
}

/** A vendor that answers when it is told to. */
function startHoldingVendor() {
  let held = [];
  let arrived = () => undefined;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      held.push(response);
      arrived();
    });
  });
  server.keepAliveTimeout = 65_000;
  const { whole } = repliesFor('/v1/chat/completions');
  const body = whole.subarray(whole.indexOf('\r\n\r\n') + 4);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: server.address().port,
        nextArrival: () => new Promise((next) => (arrived = next)),
        answerAll() {
          for (const response of held) {
            response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
            response.end(body);
          }
          held = [];
        },
        close() {
          server.closeAllConnections();
          server.close();
        },
      }),
    );
  });
}

/** Node's inspector, by its address: `ask` sends a command of DevTools' protocol. */
async function openInspector(address) {
  const socket = new WebSocket(address);
  const waiting = new Map();
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${address}`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  });
  let last = 0;
  return {
    ask: (method, params = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}

/** Files with their calls, the most first, and their functions below each. */
function asTable(counted) {
  const files = Map.groupBy(counted, ({ file }) => file);
  const total = (list) => list.reduce((sum, { calls }) => sum + calls, 0);
  const mostFirst = [...files].sort(([, one], [, other]) => total(other) - total(one));
  return mostFirst
    .map(([file, list]) => {
      const names = list.sort((one, other) => other.calls - one.calls).map(({ name, calls }) => `${name} ${calls}`);
      return `${String(total(list)).padStart(4)}  ${file}: ${names.join(', ')}`;
    })
    .join('\n');
}
