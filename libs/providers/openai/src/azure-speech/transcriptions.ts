import type { Json, JsonObject } from '@model-gateway/contracts';
import {
  formParts,
  listAt,
  localeOf,
  malformedReply,
  numberAt,
  sortFields,
  SpeakerNames,
  textAt,
  transcriptOf,
  TRANSCRIPTION_SECONDS,
  usageOf,
  valueAt,
  wholeTranscriptEvents,
  type HeardSpeech,
  type TimedWord,
  type TranscriptionAdapter,
  type TranscriptionCreate,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';

const PATH = '/speechtotext/transcriptions:transcribe?api-version=2024-11-15';
const MOST_SPEAKERS = 10;
/** The vendor's fields that change no price. */
const FIELDS = new Set(['profanityFilterMode']);

/** `transcriptions:transcribe` (docs/wire/azure-speech.md#transcription): phrases and words with their times, speakers of phrases. */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const { request, dropped } = toAzureTranscription(input);
    const { json } = await upstream.send(request);
    const heard = readHeard(json);
    return { body: transcriptOf(heard, input), usage: usageOf({ seconds: heard.duration }), dropped };
  },

  stream(input, upstream) {
    return wholeTranscriptEvents(this.transcribe(input, upstream));
  },
};

/** The service has one model, whatever an offer calls it. */
export function toAzureTranscription({ file, form, language, prompt, temperature, extra }: TranscriptionCreate): {
  readonly request: UpstreamRequest;
  readonly dropped: readonly string[];
} {
  const { sent, dropped } = sortFields(extra, FIELDS);
  const definition: JsonObject = {
    ...Object.fromEntries(sent),
    // Without one, the model of many languages finds out.
    ...(language !== undefined && { locales: [localeOf(language)] }),
    ...(form === 'diarized_json' && { diarization: { enabled: true, maxSpeakers: MOST_SPEAKERS } }),
  };
  const { filename, mime: contentType, size, open } = file;
  return {
    request: {
      method: 'POST',
      path: PATH,
      form: [
        ...formParts([['definition', JSON.stringify(definition)]]),
        { name: 'audio', filename, contentType, size, open },
      ],
      firstByteSeconds: TRANSCRIPTION_SECONDS,
    },
    dropped: [
      ...(prompt === undefined ? [] : ['prompt']),
      ...(temperature === undefined ? [] : ['temperature']),
      ...dropped,
    ],
  };
}

function readHeard(json: Json | undefined): HeardSpeech {
  const phrases = valueAt(json, 'phrases');
  if (!Array.isArray(phrases)) throw malformedReply('it holds no phrases');
  const names = new SpeakerNames();
  const segments = phrases.flatMap((phrase) => timed(phrase, speakerOf(phrase, names)));
  const words = phrases.flatMap((phrase) =>
    listAt(phrase, 'words').flatMap((word) => timed(word, speakerOf(phrase, names))),
  );
  const combined = listAt(json, 'combinedPhrases').flatMap((each) => textAt(each, 'text') ?? []);
  const language = textAt(phrases[0], 'locale');
  const milliseconds = numberAt(json, 'durationMilliseconds');
  return {
    text: combined.join(' '),
    words,
    segments,
    ...(language !== undefined && { language }),
    ...(milliseconds !== undefined && { duration: milliseconds / 1000 }),
  };
}

function speakerOf(phrase: Json, names: SpeakerNames): string | undefined {
  const speaker = numberAt(phrase, 'speaker');
  return speaker === undefined ? undefined : names.of(String(speaker));
}

function timed(item: Json, speaker: string | undefined): TimedWord[] {
  const [text, start, length] = [
    textAt(item, 'text'),
    numberAt(item, 'offsetMilliseconds'),
    numberAt(item, 'durationMilliseconds'),
  ];
  if (text === undefined || start === undefined || length === undefined) return [];
  const end = (start + length) / 1000;
  return [{ text, start: start / 1000, end, ...(speaker !== undefined && { speaker }) }];
}
