import { GatewayError, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  createJob,
  finishedJob,
  idAt,
  listAt,
  malformedReply,
  numberAt,
  pollJob,
  sortFields,
  SpeakerNames,
  textAt,
  transcriptOf,
  TRANSCRIPTION_SECONDS,
  usageOf,
  wholeTranscriptEvents,
  type HeardSpeech,
  type JobOutcome,
  type TimedWord,
  type TranscriptionAdapter,
  type TranscriptionCreate,
  type Upstream,
} from '@model-gateway/provider-kit';

/** The vendor's fields that change no price, with what they are sent as. Summaries, topics, redaction and the like do. */
const FIELDS: Readonly<Record<string, 'flag' | 'number' | 'text'>> = {
  disfluencies: 'flag',
  filter_profanity: 'flag',
  format_text: 'flag',
  language_confidence_threshold: 'number',
  punctuate: 'flag',
  speakers_expected: 'number',
};
/** An hour of sound takes a minute or two; what is not there by then is not waited for. */
const LONGEST_JOB_MS = 30 * 60_000;
/** Largest transcript: ten hours of words with their times. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The job goes on at the vendor while its state cannot be read. */
const PASSING: ReadonlySet<string> = new Set(['upstream_rate_limited', 'upstream_unavailable', 'upstream_timeout']);
/** A recording without speech has no language, which is no fault of anybody's. */
const SILENT = /no spoken audio|no speech/i;

/** `POST /v2/upload`, then a job that is asked after until it has ended (docs/wire/assemblyai.md#transcription). */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const address = await upload(input, upstream);
    const { body, dropped } = toAssemblyAiTranscript(input, upstream, address);
    const { json } = await createJob(upstream, { method: 'POST', path: '/v2/transcript', json: body });
    const id = idAt(json, 'id');
    if (id === undefined) throw malformedReply('it holds no id');
    const heard = await heardBy(id, upstream);
    return { body: transcriptOf(heard, input), usage: usageOf({ seconds: heard.duration }), dropped };
  },

  stream(input, upstream) {
    return wholeTranscriptEvents(this.transcribe(input, upstream));
  },
};

async function upload({ file }: TranscriptionCreate, upstream: Upstream): Promise<string> {
  const { json } = await upstream.send({
    method: 'POST',
    path: '/v2/upload',
    headers: { 'content-type': 'application/octet-stream' },
    source: { size: file.size, open: file.open },
    firstByteSeconds: TRANSCRIPTION_SECONDS,
  });
  const address = textAt(json, 'upload_url');
  if (address === undefined) throw malformedReply('it holds no upload_url');
  return address;
}

export function toAssemblyAiTranscript(
  { form, language, prompt, temperature, extra }: TranscriptionCreate,
  { model }: Pick<Upstream, 'model'>,
  address: string,
): { readonly body: JsonObject; readonly dropped: readonly string[] } {
  const { sent, dropped } = sortFields(extra, new Set(Object.keys(FIELDS)));
  // The Pro models alone are told how to write.
  const takesPrompt = /pro$/.test(model);
  const warmth = temperature === undefined ? undefined : Number(temperature);
  return {
    body: {
      ...Object.fromEntries(sent.map(([name, value]) => [name, valueOf(FIELDS[name], value)])),
      audio_url: address,
      speech_models: [model],
      ...(language === undefined ? { language_detection: true } : { language_code: language.replaceAll('-', '_') }),
      ...(form === 'diarized_json' && { speaker_labels: true }),
      ...(takesPrompt && prompt !== undefined && { prompt }),
      ...(takesPrompt && warmth !== undefined && Number.isFinite(warmth) && { temperature: warmth }),
    },
    dropped: [
      ...(prompt === undefined || takesPrompt ? [] : ['prompt']),
      ...(temperature === undefined || takesPrompt ? [] : ['temperature']),
      ...dropped,
    ],
  };
}

function valueOf(type: 'flag' | 'number' | 'text' | undefined, value: string): Json {
  if (type === 'flag') return value === 'true';
  return type === 'number' && Number.isFinite(Number(value)) ? Number(value) : value;
}

async function heardBy(id: string, upstream: Upstream): Promise<HeardSpeech> {
  const json = await finishedJob(upstream, 'transcript', () => endOf(id, upstream), LONGEST_JOB_MS);
  return textAt(json, 'status') === 'error' ? failed(json, upstream) : readHeard(json);
}

/** The transcript that has ended, well or not: a failed one is not billed, and may be asked for elsewhere. */
async function endOf(id: string, upstream: Upstream): Promise<JobOutcome<Json>> {
  const path = `/v2/transcript/${encodeURIComponent(id)}`;
  try {
    const answer = await pollJob(upstream, { method: 'GET', path, notFound: 'task', maxReplyBytes: MOST_BYTES });
    if ('missing' in answer) return { state: 'missing' };
    const status = textAt(answer.json, 'status');
    if (status === 'completed' || status === 'error') return { state: 'done', result: answer.json };
    if (status === 'queued' || status === 'processing') return { state: 'running' };
    return { state: 'failed', error: malformedReply(`a transcript is '${status?.slice(0, 40) ?? ''}'`) };
  } catch (error) {
    if (!(error instanceof GatewayError) || PASSING.has(error.code)) throw error;
    // A question after a job is never the caller's fault.
    const code = error.code === 'invalid_request' ? 'upstream_unavailable' : error.code;
    return { state: 'failed', error: new GatewayError(code, error.message, error.details) };
  }
}

/** A job that failed is not billed. What is wrong with the recording is the caller's; everything else may work elsewhere. */
function failed(json: Json, upstream: Pick<Upstream, 'scrub'>): HeardSpeech {
  const message = textAt(json, 'error') ?? 'the vendor says nothing';
  if (SILENT.test(message)) {
    const duration = numberAt(json, 'audio_duration');
    return { text: '', words: [], ...(duration !== undefined && { duration }) };
  }
  const isOfFile = /transcod|audio file|file type|duration|unsupported|corrupt|download/i.test(message);
  throw new GatewayError(isOfFile ? 'invalid_request' : 'upstream_unavailable', upstream.scrub(message), {
    taken: 'no',
    ...(isOfFile && { param: 'file' }),
  });
}

/** Times are milliseconds. */
function readHeard(json: Json): HeardSpeech {
  const names = new SpeakerNames();
  const timed = (item: Json): TimedWord[] => {
    const [text, start, end] = [textAt(item, 'text'), numberAt(item, 'start'), numberAt(item, 'end')];
    if (text === undefined || start === undefined || end === undefined) return [];
    const speaker = textAt(item, 'speaker');
    const name = speaker !== undefined && { speaker: names.of(speaker) };
    return [{ text, start: start / 1000, end: end / 1000, ...name }];
  };
  const [language, duration] = [textAt(json, 'language_code'), numberAt(json, 'audio_duration')];
  return {
    text: textAt(json, 'text') ?? '',
    words: listAt(json, 'words').flatMap(timed),
    ...(language !== undefined && { language }),
    ...(duration !== undefined && { duration }),
  };
}
