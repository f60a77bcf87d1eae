import {
  GatewayError,
  isJsonObject,
  type DeclaredFields,
  type Json,
  type JsonObject,
  type Usage,
} from '@model-gateway/contracts';
import {
  malformedReply,
  midReplyError,
  numberAt,
  objectAt,
  readEventsOrBody,
  textAt,
  usageOf,
  type FormPart,
  type Transcript,
  type TranscriptEvent,
  type TranscriptionAdapter,
  type TranscriptionCreate,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';

const PATHS = { transcribe: '/audio/transcriptions', translate: '/audio/translations' } as const;
/** Answered when all has been heard: an hour of sound takes minutes. */
const SECONDS = 600;

export const quirks: DeclaredFields = {
  stream: {
    type: 'flag',
    about: 'Whether the vendor sends transcripts as events; all models but Whisper’s unless said.',
  },
};

/** OpenAI's transcriptions and translations: a form with the file, read while it is sent (docs/wire/transcription.md). */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const { json } = await upstream.send(toOpenAiTranscription(input, upstream, false));
    return { body: bodyOf(json), usage: transcriptUsage(objectAt(json, 'usage')), dropped: [] };
  },

  async *stream(input, upstream) {
    const reply = await upstream.stream(toOpenAiTranscription(input, upstream, streams(upstream)));
    let ended = false;
    let started = false;
    for await (const { name, json, whole } of readEventsOrBody(reply.body)) {
      const fault = readFault({ status: 200, headers: {}, body: new Uint8Array(0), json });
      if (fault !== undefined) throw midReplyError(fault, upstream);
      if (!started) yield { type: 'started', dropped: [] };
      started = true;
      for (const event of whole ? eventsOfWhole(json) : eventOf(name, json)) {
        ended = event.type === 'done';
        yield event;
      }
    }
    if (!ended) {
      throw new GatewayError('upstream_unavailable', 'the vendor’s stream ended in the middle of the transcript', {
        taken: 'unknown',
      });
    }
  },
};

/** What is asked of either endpoint. A translation has no language, and nothing else that only transcriptions have. */
export function toOpenAiTranscription(
  input: TranscriptionCreate,
  { model }: Pick<Upstream, 'model'>,
  stream: boolean,
): UpstreamRequest {
  const { file, form, language, prompt, temperature, granularities, include } = input;
  const fields: (readonly [string, string | undefined])[] = [
    ['model', model],
    ['response_format', form],
    ['language', language],
    ['prompt', prompt],
    ['temperature', temperature],
    ...granularities.map((each) => ['timestamp_granularities[]', each] as const),
    ...include.map((each) => ['include[]', each] as const),
    ['stream', stream ? 'true' : undefined],
    ...input.extra,
  ];
  const parts = fields.flatMap(([name, value]): FormPart[] => (value === undefined ? [] : [{ name, value }]));
  const { filename, mime: contentType, size, open } = file;
  return {
    method: 'POST',
    path: PATHS[input.task],
    form: [...parts, { name: 'file', filename, contentType, size, open }],
    firstByteSeconds: SECONDS,
  };
}

function streams({ model, quirks }: Pick<Upstream, 'model' | 'quirks'>): boolean {
  const said = quirks['stream'];
  return typeof said === 'boolean' ? said : !/whisper/i.test(model);
}

function bodyOf(json: Json | undefined): Transcript['body'] {
  // Empty where nothing is said.
  if (!isJsonObject(json) || typeof json['text'] !== 'string') throw malformedReply('it holds no text');
  return { ...json, text: json['text'] };
}

function* eventsOfWhole(json: JsonObject): Generator<TranscriptEvent> {
  const { text, ...more } = bodyOf(json);
  const segments = more['segments'];
  if (Array.isArray(segments)) {
    for (const segment of segments.filter(isJsonObject).filter(({ speaker }) => speaker !== undefined))
      yield { type: 'segment', body: { type: 'transcript.text.segment', ...segment } };
  }
  if (text !== '') yield { type: 'delta', body: { type: 'transcript.text.delta', delta: text } };
  const usage = objectAt(json, 'usage');
  const body = { type: 'transcript.text.done', text, ...(usage !== undefined && { usage }) };
  yield { type: 'done', body, usage: transcriptUsage(usage) };
}

function* eventOf(name: string, json: JsonObject): Generator<TranscriptEvent> {
  const delta = textAt(json, 'delta');
  if (name === 'transcript.text.delta' && delta !== undefined) yield { type: 'delta', body: { ...json, delta } };
  else if (name === 'transcript.text.segment') yield { type: 'segment', body: json };
  else if (name === 'transcript.text.done')
    yield { type: 'done', body: bodyOf(json), usage: transcriptUsage(objectAt(json, 'usage')) };
}

/** Tokens or seconds, as the vendor bills. */
function transcriptUsage(usage: JsonObject | undefined): Usage {
  return usageOf({
    seconds: numberAt(usage, 'seconds'),
    inputTokens: numberAt(usage, 'input_tokens'),
    inputAudioTokens: numberAt(usage, 'input_token_details', 'audio_tokens'),
    outputTokens: numberAt(usage, 'output_tokens'),
  });
}
