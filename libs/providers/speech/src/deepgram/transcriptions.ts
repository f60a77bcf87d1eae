import { GatewayError, type Json } from '@model-gateway/contracts';
import {
  listAt,
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
  type Upstream,
  type UpstreamRequest,
} from '@model-gateway/provider-kit';

/** The vendor's fields that change no price. `keyterm`, `redact`, `summarize` and the like do, and several channels. */
const FIELDS = new Set([
  'dictation',
  'filler_words',
  'measurements',
  'numerals',
  'profanity_filter',
  'punctuate',
  'smart_format',
]);

/** `POST /v1/listen` (docs/wire/deepgram.md#transcription): the recording as it is, in the body; words with their times. */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const { request, dropped } = toDeepgramTranscription(input, upstream);
    const { json } = await upstream.send(request).catch((error: unknown) => {
      throw ofLanguage(error, input);
    });
    const heard = readHeard(json);
    return { body: transcriptOf(heard, input), usage: usageOf({ seconds: heard.duration }), dropped };
  },

  stream(input, upstream) {
    return wholeTranscriptEvents(this.transcribe(input, upstream));
  },
};

export function toDeepgramTranscription(
  input: TranscriptionCreate,
  { model }: Pick<Upstream, 'model'>,
): { readonly request: UpstreamRequest; readonly dropped: readonly string[] } {
  const { file, form, language, prompt, temperature, extra } = input;
  const { sent, dropped } = sortFields(extra, FIELDS);
  const query = new URLSearchParams({
    model,
    smart_format: 'true',
    ...(language === undefined ? { detect_language: 'true' } : { language }),
    ...(form === 'diarized_json' && { diarize: 'true' }),
    ...Object.fromEntries(sent),
  });
  return {
    request: {
      method: 'POST',
      path: `/v1/listen?${query.toString()}`,
      headers: { 'content-type': file.mime },
      source: { size: file.size, open: file.open },
      firstByteSeconds: TRANSCRIPTION_SECONDS,
    },
    dropped: [
      ...(prompt === undefined ? [] : ['prompt']),
      ...(temperature === undefined ? [] : ['temperature']),
      ...dropped,
    ],
  };
}

/** The vendor names model and language in one breath: where the caller chose the language, it is that one. */
function ofLanguage(error: unknown, { language }: TranscriptionCreate): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'upstream_rejected_model' || language === undefined)
    return error;
  return new GatewayError('invalid_request', `language: this model does not know '${language.slice(0, 60)}'`, {
    param: 'language',
    taken: 'no',
  });
}

function readHeard(json: Json | undefined): HeardSpeech {
  const text = valueAt(json, 'results', 'channels', 0, 'alternatives', 0, 'transcript');
  if (typeof text !== 'string') throw malformedReply('it holds no transcript');
  const names = new SpeakerNames();
  const words = listAt(json, 'results', 'channels', 0, 'alternatives', 0, 'words').flatMap((word): TimedWord[] => {
    const said = textAt(word, 'punctuated_word') ?? textAt(word, 'word');
    const [start, end] = [numberAt(word, 'start'), numberAt(word, 'end')];
    if (said === undefined || start === undefined || end === undefined) return [];
    const speaker = numberAt(word, 'speaker');
    return [{ text: said, start, end, ...(speaker !== undefined && { speaker: names.of(String(speaker)) }) }];
  });
  const language = textAt(json, 'results', 'channels', 0, 'detected_language');
  const duration = numberAt(json, 'metadata', 'duration');
  return {
    text,
    words,
    ...(language !== undefined && { language }),
    ...(duration !== undefined && { duration }),
  };
}
