import type { Json } from '@model-gateway/contracts';
import {
  formParts,
  listAt,
  malformedReply,
  numberAt,
  sortFields,
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

/** `POST /stt` (docs/wire/cartesia.md#transcription): text, and words with their times. */
export const transcriptions: TranscriptionAdapter = {
  async transcribe(input, upstream) {
    const { request, dropped } = toCartesiaTranscription(input, upstream);
    const { json } = await upstream.send(request);
    const heard = readHeard(json);
    return { body: transcriptOf(heard, input), usage: usageOf({ seconds: heard.duration }), dropped };
  },

  stream(input, upstream) {
    return wholeTranscriptEvents(this.transcribe(input, upstream));
  },
};

export function toCartesiaTranscription(
  { file, form, language, prompt, temperature, extra }: TranscriptionCreate,
  { model }: Pick<Upstream, 'model'>,
): { readonly request: UpstreamRequest; readonly dropped: readonly string[] } {
  const { filename, mime: contentType, size, open } = file;
  const fields = formParts([
    ['model', model],
    ['language', language],
    // Segments are made of words.
    ['timestamp_granularities[]', form === 'json' ? undefined : 'word'],
  ]);
  return {
    request: {
      method: 'POST',
      path: '/stt',
      form: [...fields, { name: 'file', filename, contentType, size, open }],
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
  const text = valueAt(json, 'text');
  if (typeof text !== 'string') throw malformedReply('it holds no text');
  const words = listAt(json, 'words').flatMap((word): TimedWord[] => {
    const [said, start, end] = [textAt(word, 'word')?.trim() ?? '', numberAt(word, 'start'), numberAt(word, 'end')];
    return said === '' || start === undefined || end === undefined ? [] : [{ text: said, start, end }];
  });
  const [language, duration] = [textAt(json, 'language'), numberAt(json, 'duration')];
  return {
    text: text.trim(),
    words,
    ...(language !== undefined && { language }),
    ...(duration !== undefined && { duration }),
  };
}
