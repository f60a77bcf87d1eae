import type { Exchange } from '../core/exchange.ts';
import { perStage, Recent } from '../core/stage.ts';
import type { Route } from '../core/vendor.ts';
import { heardIn, lengthOf, punctuated, textOf, type Stretch } from '../media/sound.ts';
import { complainAsAssemblyAi, refuseAsAssemblyAi } from './errors.ts';

const FIELDS = new Set(
  'audio_url speech_models speech_model language_code language_detection language_confidence_threshold speaker_labels speakers_expected punctuate format_text disfluencies filter_profanity multichannel prompt temperature keyterms_prompt word_boost webhook_url summarization redact_pii auto_chapters entity_detection sentiment_analysis'.split(
    ' ',
  ),
);
const MODELS = ['universal-3-pro', 'universal-3-5-pro', 'universal-2'];
const LANGUAGE = /^[a-z]{2,3}(?:_[a-z]{2})?$/i;
/** A longer recording is not done at the first look. */
const LONG_SECONDS = 20;
const MILLISECONDS = 1000;

interface Transcript {
  readonly file: Buffer;
  readonly model: string;
  readonly speakers: boolean;
  readonly language: string | undefined;
  polls: number;
}

const uploads = perStage(() => new Recent<Buffer>(100));
const transcripts = perStage(() => new Recent<Transcript>(1000));

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v2/upload', operation: 'upload', handle: upload },
  { method: 'POST', path: '/v2/transcript', operation: 'transcription', handle: create },
  { method: 'GET', path: /^\/v2\/transcript\/(?<id>[\w-]+)$/, operation: 'poll', handle: show },
];

function upload(exchange: Exchange): void {
  if (exchange.header('content-type') !== 'application/octet-stream')
    throw refuseAsAssemblyAi(422, { message: 'Upload failed, please try again. The file is no binary data.' });
  const address = `https://cdn.assemblyai.com/upload/${exchange.stage.newId('')}`;
  uploads(exchange.stage).set(address, exchange.body);
  exchange.reply(200, { upload_url: address });
}

function create(exchange: Exchange): void {
  const body = exchange.json(complainAsAssemblyAi);
  body.only(FIELDS);
  const file = uploads(exchange.stage).get(body.string('audio_url'));
  if (file === undefined) throw refuseAsAssemblyAi(400, { message: 'The twin hears uploads alone.' });
  const models = body.strings('speech_models');
  const [model] = models;
  if (model === undefined) throw refuseAsAssemblyAi(400, { message: '"speech_models" must be a non-empty list.' });
  const stranger = models.find((each) => !MODELS.includes(each));
  if (stranger !== undefined)
    throw refuseAsAssemblyAi(400, { message: `"speech_models" is invalid: '${stranger}' is not a known model.` });
  const language = body.optionalString('language_code');
  const detects = body.optionalBoolean('language_detection') ?? false;
  if (detects && language !== undefined)
    throw refuseAsAssemblyAi(400, { message: 'language_detection and language_code cannot be given together.' });
  if (language !== undefined && !LANGUAGE.test(language)) body.fail('language_code', 'a supported language');
  if (!model.endsWith('pro') && (body.has('prompt') || body.has('temperature')))
    throw refuseAsAssemblyAi(400, { message: 'prompt is not supported with this speech model.' });
  const id = exchange.stage.newId('');
  const speakers = body.optionalBoolean('speaker_labels') ?? false;
  transcripts(exchange.stage).set(id, { file, model, speakers, language, polls: 0 });
  exchange.reply(200, { id, status: 'queued', audio_url: body.string('audio_url'), speech_models: models });
}

async function show(exchange: Exchange): Promise<void> {
  const id = exchange.params['id'] ?? '';
  const transcript = transcripts(exchange.stage).get(id);
  if (transcript === undefined)
    throw refuseAsAssemblyAi(400, { message: 'Transcript lookup error, transcript id not found' });
  const { file, model, speakers, language } = transcript;
  transcript.polls += 1;
  const seconds = await lengthOf(file);
  if (seconds === undefined) {
    const error = 'Transcoding failed. File does not appear to contain audio. File type is unknown.';
    exchange.reply(200, { id, status: exchange.word('error'), error });
    return;
  }
  if (transcript.polls === 1 && seconds > LONG_SECONDS) {
    exchange.reply(200, { id, status: exchange.word('processing') });
    return;
  }
  const heard = heardIn(file, seconds);
  if (heard.length === 0 && language === undefined) {
    const error = 'language_detection cannot be performed on files with no spoken audio.';
    exchange.reply(200, { id, status: exchange.word('error'), error, audio_duration: seconds });
    return;
  }
  exchange.record({ kind: 'transcription', model, stream: false, aborted: false, billed: { seconds } });
  exchange.reply(200, {
    id,
    status: exchange.word('completed'),
    language_code: language ?? 'en_us',
    speech_model_used: model,
    audio_duration: seconds,
    text: textOf(heard),
    words: heard.flatMap((stretch, index) => wordsOf(stretch, speakers ? 'AB'.charAt(index % 2) : null)),
    confidence: 0.99,
    error: null,
  });
}

function wordsOf(stretch: Stretch, speaker: string | null) {
  return punctuated(stretch).map(({ word, start, end }) => ({
    text: word,
    start: Math.round(start * MILLISECONDS),
    end: Math.round(end * MILLISECONDS),
    confidence: 0.99,
    speaker,
  }));
}
