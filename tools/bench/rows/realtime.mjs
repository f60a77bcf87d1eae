// Realtime sessions: what an idle one keeps in memory, and what passing through adds to an audio event. Each gateway is started for it.
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { newCounts } from '../connection.mjs';
import { pause } from '../processes.mjs';
import { interleave, percentile } from '../rounds.mjs';
import { rowOf } from '../table.mjs';
import { KEY } from '../targets.mjs';
import { over } from './latency.mjs';

const IDLE = 500;
const OPENED_AT_ONCE = 25;
const SETTLE_MS = 2000;
/** The gateway gives memory back after half a minute of quiet, at a look every five seconds. */
const QUIET_MS = 42_000;
const SPEAKING = 10;
const EVENT_MS = 20;
/** 20 ms of PCM at 24 kHz, as browsers send it. */
const SOUND = Buffer.alloc((24_000 * 2 * EVENT_MS) / 1000, 1).toString('base64');
const SESSION = { type: 'realtime', object: 'realtime.session', id: 'sess_bench', model: 'bench-talk' };

export async function realtimeRows({ startFresh, columns, pace }) {
  const vendor = await startEcho();
  const { floor: _, ...starts } = startFresh;
  const gateways = [];
  try {
    for (const [name, start] of Object.entries(starts))
      gateways.push({ name, target: await start.withRealtime(vendor.port) });
    const idle = {};
    for (const { name, target } of gateways) idle[name] = [await openIdle(target)];
    const variants = [
      { name: 'direct', start: () => talk(vendor.port) },
      ...gateways.map(({ name, target }) => ({ name, target, start: () => talk(target.port) })),
    ];
    const samples = await interleave(variants, pace, ({ latencies, cpuMicroseconds, requests }) => ({
      p50: percentile(latencies, 0.5),
      cpu: cpuMicroseconds / requests,
    }));
    return [
      rowOf({
        what: `an idle realtime session, of ${IDLE}, KB`,
        ...{ samples: idle, columns, number: 'rested', budget: { most: 80, unit: ' KB' } },
      }),
      rowOf({ what: '… right after they were opened, KB', samples: idle, columns, number: 'opened' }),
      rowOf({
        what: 'sound there and back, p50 added to direct, ms',
        ...{ samples: over(samples, 'direct'), columns, digits: 2, number: 'p50', budget: { most: 2, unit: ' ms' } },
      }),
      rowOf({ what: 'sound there and back, CPU µs', samples, columns, number: 'cpu' }),
    ];
  } finally {
    for (const { target } of gateways) await target.stop();
    await vendor.close();
  }
}

/** A vendor that says back what it hears, in one response without an end. */
async function startEcho() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => {
    const tell = (event) => socket.send(JSON.stringify(event));
    tell({ type: 'session.created', event_id: 'event_1', session: SESSION });
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      const { type, audio } = JSON.parse(data);
      if (type === 'response.create')
        tell({ type: 'response.created', event_id: 'event_2', response: { id: 'resp_1', status: 'in_progress' } });
      else if (type === 'input_audio_buffer.append')
        tell({ type: 'response.output_audio.delta', event_id: 'event_3', response_id: 'resp_1', delta: audio });
    });
  });
  await once(server, 'listening');
  return {
    port: server.address().port,
    async close() {
      for (const socket of server.clients) socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

async function openSession(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime?model=bench-talk`, {
    headers: { authorization: `Bearer ${KEY}` },
    perMessageDeflate: false,
  });
  await once(socket, 'message');
  socket.on('error', () => undefined);
  return socket;
}

/** What each session adds to resident memory, after a quiet time and right after all are open. */
async function openIdle(target) {
  const warm = await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => openSession(target.port)));
  for (const socket of warm) socket.terminate();
  await pause(QUIET_MS);
  const before = target.resident();
  const open = [];
  while (open.length < IDLE)
    open.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => openSession(target.port)))));
  await pause(SETTLE_MS);
  const opened = target.resident();
  await pause(QUIET_MS);
  const rested = target.resident();
  if (open.some(({ readyState }) => readyState !== WebSocket.OPEN)) throw new Error('an idle session was closed');
  for (const socket of open) socket.terminate();
  await pause(SETTLE_MS);
  const each = (bytes) => (bytes - before) / 1024 / IDLE;
  return { opened: each(opened), rested: each(rested) };
}

/** Sessions that speak evenly, whether or not what they said came back. */
function talk(port) {
  const counts = newCounts();
  const sockets = [];
  let isOver = false;
  let timer;
  const begun = Promise.all(Array.from({ length: SPEAKING }, () => openSession(port))).then((opened) => {
    sockets.push(...opened);
    for (const socket of opened) {
      const sent = [];
      socket.sent = sent;
      socket.send(JSON.stringify({ type: 'response.create' }));
      socket.on('message', (data) => {
        if (!data.includes('response.output_audio.delta')) return;
        counts.latencies.push(performance.now() - sent.shift());
      });
      socket.on('close', () => {
        if (!isOver) counts.errors += 1;
      });
    }
    if (isOver) return;
    let turn = 0;
    timer = setInterval(() => {
      const socket = sockets[turn++ % SPEAKING];
      counts.requests += 1;
      socket.sent.push(performance.now());
      socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: SOUND }));
    }, EVENT_MS / SPEAKING);
  });
  return {
    counts,
    async stop() {
      isOver = true;
      await begun;
      clearInterval(timer);
      for (const socket of sockets) socket.terminate();
    },
  };
}
