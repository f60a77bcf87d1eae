import { isJsonObject, type Json } from '@model-gateway/contracts';
import {
  listAt,
  localeOf,
  malformedReply,
  sortFields,
  textAt,
  transcriptOf,
  TRANSCRIPTION_SECONDS,
  usageOf,
  wholeTranscriptEvents,
  type HeardSpeech,
  type TimedWord,
  type TranscriptionAdapter,
  type TranscriptionCreate,
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';
import { locationOf } from './declared.ts';

const DURATION = /^(\d+(?:\.\d+)?)s$/;

/** `recognizers/_:recognize` of Speech-to-Text v2 (docs/wire/google-speech.md#transcription): at most a minute, in the body; words with their times. */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const { request, dropped } = await toGoogleTranscription(input, upstream);
    const { json } = await upstream.send(request);
    const heard = readHeard(json);
    return { body: transcriptOf(heard, input), usage: usageOf({ seconds: heard.duration }), dropped };
  },

  stream(input, upstream) {
    return wholeTranscriptEvents(this.transcribe(input, upstream));
  },
};

export async function toGoogleTranscription(
  { file, form, language, prompt, temperature, extra }: TranscriptionCreate,
  { model, account: { settings } }: Pick<Upstream, 'model' | 'account'>,
): Promise<{ readonly request: UpstreamRequest; readonly dropped: readonly string[] }> {
  const { project: said = '', project_id: ofKeyFile = '' } = settings;
  const project = encodeURIComponent(said === '' ? ofKeyFile : said);
  const place = `/v2/projects/${project}/locations/${encodeURIComponent(locationOf(settings))}`;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return {
    request: {
      method: 'POST',
      path: `${place}/recognizers/_:recognize`,
      json: {
        config: {
          model,
          languageCodes: [language === undefined ? 'auto' : localeOf(language)],
          features: { enableAutomaticPunctuation: true, ...(form !== 'json' && { enableWordTimeOffsets: true }) },
          autoDecodingConfig: {},
        },
        content: Buffer.concat(chunks).toString('base64'),
      },
      firstByteSeconds: TRANSCRIPTION_SECONDS,
    },
    dropped: [
      ...(prompt === undefined ? [] : ['prompt']),
      ...(temperature === undefined ? [] : ['temperature']),
      ...sortFields(extra, new Set()).dropped,
    ],
  };
}

function readHeard(json: Json | undefined): HeardSpeech {
  if (!isJsonObject(json) || (json['results'] === undefined && json['metadata'] === undefined))
    throw malformedReply('it holds no results');
  const results = listAt(json, 'results');
  const texts = results.flatMap((result) => textAt(result, 'alternatives', 0, 'transcript')?.trim() ?? []);
  const words = results.flatMap((result) => listAt(result, 'alternatives', 0, 'words').flatMap(wordOf));
  const language = results.flatMap((result) => textAt(result, 'languageCode') ?? [])[0];
  const duration = secondsOf(textAt(json, 'metadata', 'totalBilledDuration'));
  return {
    text: texts.join(' '),
    words,
    ...(language !== undefined && { language }),
    ...(duration !== undefined && { duration }),
  };
}

/** An offset of nothing is left away. */
function wordOf(word: Json): TimedWord[] {
  const text = textAt(word, 'word');
  const end = secondsOf(textAt(word, 'endOffset'));
  if (text === undefined || end === undefined) return [];
  return [{ text, start: secondsOf(textAt(word, 'startOffset')) ?? 0, end }];
}

/** `1.500s` */
function secondsOf(text: string | undefined): number | undefined {
  const seconds = DURATION.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
