// The bytes a vendor sends, in several wire formats, made once.
import { VECTORS } from './requests.mjs';

const CONTENT = 'All work and no play. '.repeat(40);
const PIECE = 'lantern ';
export const HEAD_END = Buffer.from('\r\n\r\n');

const chunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const END_OF_BODY = '0\r\n\r\n';
const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

function whole(json) {
  const text = JSON.stringify(json);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function openAi() {
  const event = (choices, rest = {}) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1790000000, model: 'bench-model', choices, ...rest })}\n\n`;
  const delta = (fields, finish = null) => event([{ index: 0, delta: fields, finish_reason: finish }]);
  return {
    whole: whole({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 1790000000,
      model: 'bench-model',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          logprobs: null,
          message: { role: 'assistant', content: CONTENT, refusal: null, annotations: [] },
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
    }),
    first: Buffer.from(STREAM_HEAD + chunk(delta({ role: 'assistant', content: '' }))),
    piece: Buffer.from(chunk(delta({ content: PIECE }))),
    last: Buffer.from(
      chunk(delta({}, 'stop')) +
        chunk(event([], { usage: { prompt_tokens: 480, completion_tokens: 300, total_tokens: 780 } })) +
        chunk('data: [DONE]\n\n') +
        END_OF_BODY,
    ),
  };
}

function anthropic() {
  const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const message = {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench-model',
    stop_sequence: null,
  };
  return {
    whole: whole({
      ...message,
      content: [{ type: 'text', text: CONTENT }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 480, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 200 },
    }),
    first: Buffer.from(
      STREAM_HEAD +
        chunk(
          event({
            type: 'message_start',
            message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 480, output_tokens: 1 } },
          }),
        ) +
        chunk(event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })),
    ),
    piece: Buffer.from(
      chunk(event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: PIECE } })),
    ),
    last: Buffer.from(
      chunk(event({ type: 'content_block_stop', index: 0 })) +
        chunk(
          event({
            type: 'message_delta',
            delta: { stop_reason: 'end_turn', stop_sequence: null },
            usage: { output_tokens: 300 },
          }),
        ) +
        chunk(event({ type: 'message_stop' })) +
        END_OF_BODY,
    ),
  };
}

/** Bedrock's Converse. */
function converse() {
  return {
    whole: whole({
      metrics: { latencyMs: 900 },
      output: { message: { content: [{ text: CONTENT }], role: 'assistant' } },
      stopReason: 'end_turn',
      usage: {
        inputTokens: 480,
        outputTokens: 200,
        totalTokens: 680,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
    }),
  };
}

/** Gemini's, as Vertex AI answers. */
function gemini() {
  return {
    whole: whole({
      candidates: [{ content: { role: 'model', parts: [{ text: CONTENT }] }, finishReason: 'STOP', avgLogprobs: -0.1 }],
      usageMetadata: {
        promptTokenCount: 480,
        candidatesTokenCount: 200,
        totalTokenCount: 680,
        trafficType: 'ON_DEMAND',
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 480 }],
        candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 200 }],
      },
      modelVersion: 'bench-model',
      createTime: '2026-11-26T10:00:00.000000Z',
      responseId: 'bench-response',
    }),
  };
}

const DIMENSIONS = 1536;

/** As many vectors as `embeddingBytes` asks for. */
function vectors() {
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, index) => Math.sin(index) / Math.sqrt(DIMENSIONS / 2));
  const embedding = Buffer.from(vector.buffer).toString('base64');
  return {
    whole: whole({
      object: 'list',
      data: Array.from({ length: VECTORS }, (_, index) => ({ object: 'embedding', index, embedding })),
      model: 'bench-vectors',
      usage: { prompt_tokens: 1200, total_tokens: 1200 },
    }),
  };
}

const wires = { openAi: openAi(), anthropic: anthropic(), converse: converse(), gemini: gemini(), vectors: vectors() };

/** The replies of the wire that a path belongs to. */
export function repliesFor(path) {
  if (path.endsWith('/embeddings')) return wires.vectors;
  if (path.endsWith('/converse')) return wires.converse;
  if (path.endsWith(':generateContent')) return wires.gemini;
  return path.endsWith('/messages') ? wires.anthropic : wires.openAi;
}
