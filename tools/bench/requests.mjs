// The requests that are sent, as bytes.
import { KEY } from './targets.mjs';

const PROMPT = 'A paper boat drifts under a bridge at dawn, and the gulls wake one by one. '.repeat(24);
/** Of one request, and of its answer (upstream-replies.mjs). */
export const VECTORS = 16;
const MEGABYTE = 1024 * 1024;
/** Longer than any run: a stream that is open and idle. */
const NEVER_MS = 3_600_000;

function post(port, body, headers = '', path = '/v1/chat/completions', key = KEY) {
  const text = JSON.stringify(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

const messages = (content) => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content },
];

/** A chat of 2 KB. */
export function chatBytes(port, model, { key, headers } = {}) {
  return post(port, { model, messages: messages(PROMPT) }, headers, undefined, key);
}

/** The same, streamed: the upstream's stream `id` (upstream.mjs). */
export function streamBytes(port, model, { id, chunks, everyMs, resumable = false }) {
  const body = {
    model,
    messages: messages(`[stream ${id}: ${chunks} chunks, ${everyMs} ms] ${PROMPT}`),
    stream: true,
    stream_options: { include_usage: true },
  };
  return post(port, body, resumable ? 'x-gateway-resumable: true\r\n' : '');
}

/** Sixteen texts as vectors in base64. */
export function embeddingBytes(port, model) {
  const input = Array.from({ length: VECTORS }, (_, index) => `${index}. ${PROMPT.slice(0, 300)}`);
  return post(port, { model, input, encoding_format: 'base64' }, '', '/v1/embeddings');
}

/** A stream that stays open without a word. */
export function idleStreamBytes(port, model, id) {
  return streamBytes(port, model, { id, chunks: 1, everyMs: NEVER_MS });
}

/** A chat with a picture of so many megabytes, as base64 in a data URL. */
export function mediaBytes(port, model, megabytes) {
  const url = `data:image/png;base64,${'iVBORw0KGgoA'.repeat((megabytes * MEGABYTE) / 12)}`;
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ];
  return post(port, { model, messages: messages(content) });
}

/** A question that costs nothing and waits for the event loop. */
export function healthBytes(port) {
  return Buffer.from(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
}
