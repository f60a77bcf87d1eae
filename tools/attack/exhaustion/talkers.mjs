/** Vendors of realtime sessions that are as hostile as their clients: they talk without end, take nothing, or never begin. OpenAI's events and Google's. */
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';

const SOUND = 'A'.repeat(32 * 1024);
const UNSENT = 4 * 1024 * 1024;
const LOOK_MS = 2;

/** Listens on a free port. What a session is like is told by its model: `…-talks`, `…-deaf`, `…-silent` (its setup is never confirmed). */
export async function startTalkers() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket, request) => {
    socket.on('error', () => undefined);
    if (request.url.startsWith('/ws/')) google(socket);
    else openai(socket, new URL(request.url, 'http://vendor').searchParams.get('model'));
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

function openai(socket, model) {
  const tell = (event) => socket.send(JSON.stringify({ event_id: 'event_1', ...event }));
  tell({ type: 'session.created', session: { type: 'realtime', object: 'realtime.session', id: 'sess_1', model } });
  if (model.endsWith('-deaf')) socket.pause();
  socket.on('message', (data) => {
    if (!data.includes('"response.create"')) return;
    const response = { object: 'realtime.response', id: 'resp_1', status: 'in_progress', output: [] };
    tell({ type: 'response.created', response });
    if (model.endsWith('-talks'))
      talk(socket, { type: 'response.output_audio.delta', event_id: 'event_1', response_id: 'resp_1', delta: SOUND });
  });
}

function google(socket) {
  let model = '';
  socket.on('message', (data) => {
    if (model !== '') return;
    ({ model } = JSON.parse(data).setup);
    if (model.endsWith('-silent')) return;
    socket.send(JSON.stringify({ setupComplete: {} }));
    if (model.endsWith('-deaf')) socket.pause();
    if (model.endsWith('-talks')) {
      const parts = [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: SOUND } }];
      talk(socket, { serverContent: { modelTurn: { parts } } });
    }
  });
}

/** As fast as it is read. */
function talk(socket, event) {
  const text = JSON.stringify(event);
  const timer = setInterval(() => {
    while (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < UNSENT) socket.send(text);
  }, LOOK_MS);
  socket.once('close', () => clearInterval(timer));
}
