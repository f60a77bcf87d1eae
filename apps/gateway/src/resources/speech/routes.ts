/** Speech: OpenAI's speech form, and docs/service.md's through chat-completions. */
import type { Request, Response } from 'express';
import { OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import {
  findModel,
  rowNamed,
  kindOf,
  newTrace,
  speechOfChat,
  speechOfSpeech,
  type Catalogue,
  type ChatTrace,
  type Speech,
  type Spoken,
} from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import { mediaControl } from '../../http/request-control.ts';
import { includesCost, withCost } from '../../http/answer-cost.ts';
import type { Handler, Handlers } from '../../http/operation.ts';
import { pipeBody, sendJson, startEventStream, writeTrace } from '../../http/reply.ts';

export interface SpeechRouteParts {
  readonly speech: Speech;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
  readonly randomId: () => string;
}

/** Handlers of the speech operation. */
export function speechRoutes(parts: SpeechRouteParts): Handlers {
  return {
    async createSpeech(request, response) {
      const body = jsonBody(request);
      const row = findModel(parts.catalogue(), response.locals.exchange.model, ['speech']);
      const sse = body['stream_format'] === 'sse';
      const isCosted = sse && includesCost(request);
      await withTrace(response, async (trace) => {
        const spoken = await parts.speech.speak(
          {
            caller: response.locals.exchange.caller,
            row,
            input: speechOfSpeech(body, row),
            read: (each) => speechOfSpeech(body, each, row),
            endpoint: OPERATIONS.createSpeech.path,
            ...controlOf(parts, request, response),
          },
          trace,
        );
        writeTrace(response, trace);
        startsNow(parts, response);
        if (sse) startEventStream(response);
        else response.writeHead(200, { 'content-type': spoken.mime });
        const events = spoken.isEvents ? textOf(spoken.audio) : speechEvents(spoken);
        await pipeBody(isCosted ? withCost(events, trace) : sse ? events : spoken.audio, response);
      });
    },
  };
}

/** Sends chat-completions of speech models to speech, all others to `chat`. */
export function speechOrChat(parts: SpeechRouteParts, chat: Handler): Handler {
  return (request: Request, response: Response) => {
    const body = jsonBody(request);
    const { model } = body;
    const row = typeof model === 'string' ? rowNamed(parts.catalogue(), model) : undefined;
    if (row === undefined || kindOf(row).name !== 'speech') return chat(request, response);
    // Speech answers 503 where chat answers 500 and 429 (docs/service.md lists them so).
    response.locals.exchange.openAiStatuses = false;
    const { refusal } = response.locals.exchange;
    // It would be spoken, and cost what the limit is there for.
    if (refusal !== undefined) throw refusal;
    return speakInChat(parts, request, response, body);
  };
}

function controlOf({ catalogue }: SpeechRouteParts, request: Request, response: Response) {
  return mediaControl(request, catalogue, response.locals.exchange.caller.key.group);
}

/** Runs the work of an answer of sound, which may begin before it fails. */
export async function withTrace(response: Response, work: (trace: ChatTrace) => Promise<void>): Promise<void> {
  const trace = newTrace();
  response.locals.exchange.trace = trace;
  try {
    await work(trace);
  } catch (error) {
    if (response.headersSent) {
      // The head has gone out: a cut connection is the only honest end.
      response.destroy();
      return;
    }
    writeTrace(response, trace);
    throw error;
  }
}

/** The answer begins to be sent. */
export function startsNow({ now }: Pick<SpeechRouteParts, 'now'>, response: Response): void {
  const exchange = response.locals.exchange;
  exchange.firstByteAt = now();
  exchange.streamed = true;
}

async function speakInChat(
  parts: SpeechRouteParts,
  request: Request,
  response: Response,
  body: JsonObject,
): Promise<void> {
  const row = findModel(parts.catalogue(), response.locals.exchange.model, ['speech']);
  const input = speechOfChat(body, row);
  await withTrace(response, async (trace) => {
    const spoken = await parts.speech.speak(
      {
        caller: response.locals.exchange.caller,
        row,
        input,
        read: (each) => speechOfChat(body, each, row),
        endpoint: OPERATIONS.createChatCompletion.path,
        ...controlOf(parts, request, response),
      },
      trace,
    );
    writeTrace(response, trace);
    const head = { id: `chatcmpl-${parts.randomId()}`, created: Math.floor(parts.now() / 1000), model: row.code };
    const audioId = spoken.id ?? `audio_${parts.randomId()}`;
    if (!input.stream) {
      await sendChatAudio(response, spoken, head, audioId);
      return;
    }
    startsNow(parts, response);
    startEventStream(response);
    await pipeBody(chatAudioEvents(spoken, head, audioId), response);
  });
}

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function usageOf(spoken: Spoken): JsonObject {
  const { inputTokens = 0, outputTokens = 0 } = spoken.usage();
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

async function sendChatAudio(response: Response, spoken: Spoken, head: Head, audioId: string): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of spoken.audio) chunks.push(chunk);
  await sendJson(response, {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          audio: { id: audioId, data: Buffer.concat(chunks).toString('base64'), expires_at: null, transcript: null },
        },
      },
    ],
    usage: usageOf(spoken),
  });
}

async function* chatAudioEvents(spoken: Spoken, head: Head, audioId: string): AsyncGenerator<string> {
  const chunkOf = (delta: JsonObject, finish: string | null): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  yield chunkOf({ role: 'assistant', content: '' }, null);
  for await (const chunk of evenPieces(spoken.audio))
    yield chunkOf({ audio: { id: audioId, data: Buffer.from(chunk).toString('base64') } }, null);
  yield chunkOf({}, 'stop');
  yield 'data: [DONE]\n\n';
}

/** Samples have two bytes: a piece must not end in the middle of one. */
async function* evenPieces(audio: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let odd: Uint8Array = new Uint8Array(0);
  for await (const chunk of audio) {
    const bytes = odd.length === 0 ? chunk : Buffer.concat([odd, chunk]);
    const whole = bytes.length - (bytes.length % 2);
    odd = bytes.subarray(whole);
    if (whole > 0) yield bytes.subarray(0, whole);
  }
  if (odd.length > 0) yield odd;
}

/** The vendor's own events. */
async function* textOf(events: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const event of events) yield Buffer.from(event).toString();
}

async function* speechEvents(spoken: Spoken): AsyncGenerator<string> {
  for await (const chunk of spoken.audio)
    yield eventText({ type: 'speech.audio.delta', audio: Buffer.from(chunk).toString('base64') });
  const { inputTokens = 0, outputTokens = 0 } = spoken.usage();
  const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
  yield eventText({ type: 'speech.audio.done', usage });
}

function eventText(data: { readonly type: string } & JsonObject): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
