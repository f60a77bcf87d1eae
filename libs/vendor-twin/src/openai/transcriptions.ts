import type { Exchange } from '../core/exchange.ts';
import { readForm, type Form } from '../core/multipart.ts';
import { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { tokensOf } from '../chat/talk.ts';
import { heardIn, lengthOf, textOf, timesOf, type Stretch } from '../media/sound.ts';
import { badRequest, complainAsOpenAi, openAiError, refuseUnknownModel, standardHeaders } from './errors.ts';

const FIELDS = new Set(
  'model language prompt response_format temperature timestamp_granularities include stream chunking_strategy known_speaker_names known_speaker_references'.split(
    ' ',
  ),
);
const LARGEST = 25 * 1024 * 1024;
const SHORTEST_SECONDS = 0.1;
const AUDIO_TOKENS_PER_SECOND = 10;
/** What each model answers in; none has what the others have. */
const FORMATS = {
  whisper: ['json', 'text', 'srt', 'verbose_json', 'vtt'],
  plain: ['json'],
  diarize: ['json', 'text', 'diarized_json'],
} as const;

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    operation: 'transcription',
    handle: (exchange) => answer(exchange, 'transcribe'),
  },
  {
    method: 'POST',
    path: '/v1/audio/translations',
    operation: 'transcription',
    handle: (exchange) => answer(exchange, 'translate'),
  },
];

interface Order {
  readonly model: string;
  readonly family: keyof typeof FORMATS;
  readonly format: string;
  readonly prompt: string;
  readonly words: boolean;
  readonly logprobs: boolean;
  readonly stream: boolean;
  readonly language: string;
}

/** Words that only the bytes of the recording decide, at speaking pace; silence has none. */
async function answer(exchange: Exchange, task: 'transcribe' | 'translate'): Promise<void> {
  const form = await readForm(exchange);
  const order = readOrder(form, task);
  const file = form.files.find(({ name }) => name === 'file');
  if (file === undefined) throw badRequest("Missing required parameter: 'file'.", 'file', 'missing_required_parameter');
  if (file.bytes.length > LARGEST) throw badRequest('Maximum content size limit (26214400) exceeded.', 'file');
  if (!/\.(?:flac|mp3|mp4|mpeg|mpga|m4a|ogg|oga|wav|webm)$/.test(file.filename))
    throw badRequest(`Unrecognized file format.`, 'file');
  const markers = await exchange.obey(order.prompt);
  const seconds = await lengthOf(file.bytes);
  if (seconds === undefined)
    throw badRequest('The audio file could not be decoded or its format is not supported.', 'file', 'invalid_audio');
  if (seconds < SHORTEST_SECONDS)
    throw badRequest('Audio file is too short. Minimum audio length is 0.1 seconds.', 'file', 'audio_too_short');
  const said = markers.words.has('silent') ? [] : heardIn(file.bytes, seconds);
  if (order.stream && order.family !== 'whisper') await stream(exchange, order, { seconds, said });
  else whole(exchange, order, { seconds, said, task });
}

function readOrder({ fields }: Form, task: 'transcribe' | 'translate'): Order {
  const values: Record<string, unknown> = {};
  for (const [name, all] of fields) values[name.replace(/\[\d*\]$/, '')] = name.endsWith(']') ? all : all[0];
  const body = new Reader(values, [], complainAsOpenAi);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const family = /whisper/.test(model) ? 'whisper' : /diarize/.test(model) ? 'diarize' : 'plain';
  if (task === 'translate' && family !== 'whisper')
    throw badRequest(`Invalid model for translations: ${model}.`, 'model', 'invalid_model');
  const format = body.optionalString('response_format') ?? 'json';
  if (!FORMATS[family].some((each) => each === format)) {
    const message = `response_format '${format}' is not compatible with model '${model}'. Use 'json' instead.`;
    throw badRequest(message, 'response_format', 'unsupported_value');
  }
  const granularities = body.strings('timestamp_granularities');
  if (granularities.length > 0 && format !== 'verbose_json')
    throw badRequest("timestamp_granularities needs response_format 'verbose_json'.", 'timestamp_granularities');
  const include = body.strings('include');
  if (include.length > 0 && family !== 'plain')
    throw badRequest('include is not supported with this model.', 'include');
  const temperature = Number(body.optionalString('temperature') ?? 0);
  if (!(temperature >= 0 && temperature <= 1)) throw badRequest('temperature must be between 0 and 1.', 'temperature');
  const prompt = body.optionalString('prompt') ?? '';
  return {
    model,
    family,
    format,
    prompt,
    words: granularities.includes('word'),
    logprobs: include.includes('logprobs'),
    stream: body.optionalString('stream') === 'true',
    language: task === 'translate' ? 'english' : (body.optionalString('language') ?? 'english'),
  };
}

interface Said {
  readonly seconds: number;
  readonly said: readonly Stretch[];
}

function usageOf({ family, prompt }: Order, { seconds, said }: Said): Record<string, unknown> {
  if (family === 'whisper') return { type: 'duration', seconds: Math.ceil(seconds) };
  const { audio, text, output } = tokens(prompt, { seconds, said });
  return {
    type: 'tokens',
    input_tokens: audio + text,
    input_token_details: { text_tokens: text, audio_tokens: audio },
    output_tokens: output,
    total_tokens: audio + text + output,
  };
}

function tokens(prompt: string, { seconds, said }: Said) {
  return {
    audio: Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND),
    text: prompt === '' ? 0 : tokensOf(prompt),
    output: tokensOf(textOf(said)),
  };
}

function record(exchange: Exchange, order: Order, heard: Said, aborted: boolean): void {
  const { audio, text, output } = tokens(order.prompt, heard);
  exchange.record({
    kind: 'transcription',
    model: order.model,
    stream: order.stream,
    aborted,
    billed: {
      seconds: heard.seconds,
      ...(order.family !== 'whisper' && { inputTokens: audio + text, inputAudioTokens: audio, outputTokens: output }),
    },
  });
}

function whole(exchange: Exchange, order: Order, heard: Said & { readonly task: string }): void {
  const { seconds, said, task } = heard;
  record(exchange, order, heard, false);
  const text = textOf(said);
  const headers = standardHeaders(exchange);
  if (order.format === 'text') {
    exchange.reply(200, `${text}\n`, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
    return;
  }
  const usage = usageOf(order, heard);
  if (order.format === 'json') {
    exchange.reply(200, { text, ...(order.logprobs && { logprobs: logprobsOf(text) }), usage }, headers);
    return;
  }
  if (order.format === 'diarized_json') {
    exchange.reply(200, { task, duration: seconds, text, segments: said.map(spoken), usage }, headers);
    return;
  }
  const segments = said.map(({ start, end, words }, id) => ({
    id,
    seek: 0,
    start,
    end,
    text: ` ${words.join(' ')}.`,
    tokens: words.map((word) => word.length),
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 1.1,
    no_speech_prob: 0.01,
  }));
  const language = order.language === 'en' ? 'english' : order.language;
  const body = { task, language, duration: seconds, text, segments, usage };
  exchange.reply(200, order.words ? { ...body, words: said.flatMap(timesOf) } : body, headers);
}

function spoken({ start, end, words }: Stretch, index: number) {
  const text = `${words.join(' ')}.`;
  return {
    type: 'transcript.text.segment',
    id: `seg_${index}`,
    start,
    end,
    speaker: index % 2 === 0 ? 'A' : 'B',
    text,
  };
}

function logprobsOf(text: string) {
  return text.split(/(?= )/).map((token) => ({ token, logprob: -0.01, bytes: [...Buffer.from(token)] }));
}

async function stream(exchange: Exchange, order: Order, heard: Said): Promise<void> {
  const error = `data: ${JSON.stringify({ type: 'error', error: openAiError(500) })}\n\n`;
  const events = exchange.events(
    { ...standardHeaders(exchange), 'content-type': 'text/event-stream; charset=utf-8' },
    error,
  );
  const send = (event: Readonly<Record<string, unknown>>): Promise<boolean> =>
    events.send(`data: ${JSON.stringify(event)}\n\n`);
  const text = textOf(heard.said);
  const logprobs = (piece: string) => (order.logprobs ? { logprobs: logprobsOf(piece) } : {});
  const pieces =
    order.format === 'diarized_json'
      ? heard.said.map(spoken)
      : text.split(/(?= )/).map((delta) => ({ type: 'transcript.text.delta', delta, ...logprobs(delta) }));
  for (const piece of text === '' ? [] : pieces) {
    if (await send(piece)) continue;
    record(exchange, order, heard, true);
    return;
  }
  record(exchange, order, heard, !events.open);
  await send({ type: 'transcript.text.done', text, ...logprobs(text), usage: usageOf(order, heard) });
  events.end();
}
