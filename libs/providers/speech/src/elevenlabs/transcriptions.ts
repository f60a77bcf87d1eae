import type { Json } from '@model-gateway/contracts';
import {
  formParts,
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

/** The vendor's fields that change no price. `keyterms`, `entity_detection`, `transcript_edit`, `detect_speaker_roles` and several channels do. */
const FIELDS = new Set([
  'diarization_threshold',
  'no_verbatim',
  'num_speakers',
  'seed',
  'tag_audio_events',
  'timestamps_granularity',
]);

/** `POST /v1/speech-to-text` (docs/wire/elevenlabs.md#transcription): words with their times, and speakers where they are wanted. */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const { request, dropped } = toElevenLabsTranscription(input, upstream);
    const { json } = await upstream.send(request);
    const heard = readHeard(json);
    return { body: transcriptOf(heard, input), usage: usageOf({ seconds: heard.duration }), dropped };
  },

  stream(input, upstream) {
    return wholeTranscriptEvents(this.transcribe(input, upstream));
  },
};

export function toElevenLabsTranscription(
  input: TranscriptionCreate,
  { model }: Pick<Upstream, 'model'>,
): { readonly request: UpstreamRequest; readonly dropped: readonly string[] } {
  const { file, form, language, temperature, prompt, extra } = input;
  const { sent, dropped } = sortFields(extra, FIELDS);
  const fields = formParts([
    ['model_id', model],
    ['language_code', language],
    ['temperature', temperature],
    ['diarize', form === 'diarized_json' ? 'true' : undefined],
    ...sent,
  ]);
  const { filename, mime: contentType, size, open } = file;
  return {
    request: {
      method: 'POST',
      path: '/v1/speech-to-text',
      form: [...fields, { name: 'file', filename, contentType, size, open }],
      firstByteSeconds: TRANSCRIPTION_SECONDS,
    },
    dropped: [...(prompt === undefined ? [] : ['prompt']), ...dropped],
  };
}

function readHeard(json: Json | undefined): HeardSpeech {
  const text = valueAt(json, 'text');
  if (typeof text !== 'string') throw malformedReply('it holds no text');
  const names = new SpeakerNames();
  const words = listAt(json, 'words').flatMap((word): TimedWord[] => {
    const [said, start, end] = [textAt(word, 'text')?.trim() ?? '', numberAt(word, 'start'), numberAt(word, 'end')];
    // Spaces are words of their own.
    if (said === '' || start === undefined || end === undefined) return [];
    const speaker = textAt(word, 'speaker_id');
    return [{ text: said, start, end, ...(speaker !== undefined && { speaker: names.of(speaker) }) }];
  });
  const [language, told] = [textAt(json, 'language_code'), numberAt(json, 'audio_duration_secs')];
  const duration = told ?? words.at(-1)?.end;
  return {
    text: text.trim(),
    words,
    ...(language !== undefined && { language }),
    ...(duration !== undefined && { duration }),
  };
}
