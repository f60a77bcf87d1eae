// A vendor that costs next to nothing: raw sockets, prepared bytes. Speaks just enough of chat-completions for the bench.
import { createServer } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1790000000,
  model: 'bench-model',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: 'All work and no play. '.repeat(40), refusal: null, annotations: [] },
    },
  ],
  usage: {
    prompt_tokens: 480,
    completion_tokens: 200,
    total_tokens: 680,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  },
});
const wholeReply = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`,
);
const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
);

const chunk = (text) => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
const event = (delta, rest = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1790000000, model: 'bench-model', choices: [{ index: 0, delta, finish_reason: null }], ...rest })}\n\n`;
const firstChunk = chunk(event({ role: 'assistant', content: '' }));
const deltaChunk = chunk(event({ content: 'lantern ' }));
const lastChunks = Buffer.concat([
  chunk(event({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })),
  chunk(event({}, { choices: [], usage: { prompt_tokens: 480, completion_tokens: 300, total_tokens: 780 } })),
  chunk('data: [DONE]\n\n'),
  Buffer.from('0\r\n\r\n'),
]);

/** Starts it; `chunksPerStream` deltas each in its own write. A body containing "hold" leaves the stream open after the first chunk. */
export function startUpstream({ chunksPerStream = 300 } = {}) {
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    let pending = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
      for (;;) {
        const headEnd = pending.indexOf(HEAD_END);
        if (headEnd === -1) return;
        const head = pending.toString('latin1', 0, headEnd);
        const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
        const end = headEnd + 4 + length;
        if (pending.length < end) return;
        const body = pending.toString('latin1', headEnd + 4, end);
        pending = pending.subarray(end);
        if (body.includes('"stream":true')) stream(socket, chunksPerStream, body.includes('"hold"'));
        else socket.write(wholeReply);
      }
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, close: () => server.close() }));
  });
}

function stream(socket, count, hold) {
  socket.write(streamHead);
  socket.write(firstChunk);
  if (hold) return;
  let left = count;
  const next = () => {
    if (socket.destroyed) return;
    if (left-- === 0) {
      socket.write(lastChunks);
      return;
    }
    if (socket.write(deltaChunk)) setImmediate(next);
    else socket.once('drain', next);
  };
  setImmediate(next);
}
