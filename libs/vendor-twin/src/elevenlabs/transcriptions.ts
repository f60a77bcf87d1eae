import type { Exchange } from '../core/exchange.ts';
import { readForm } from '../core/multipart.ts';
import { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { heardIn, lengthOf, punctuated, textOf } from '../media/sound.ts';
import { complainAsElevenLabs, refuse, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(
  'model_id language_code transcript_edit tag_audio_events num_speakers timestamps_granularity diarize diarization_threshold additional_formats file_format temperature seed use_multi_channel multichannel_output_style entity_detection no_verbatim use_speaker_library detect_speaker_roles entity_redaction entity_redaction_mode keyterms webhook webhook_id webhook_metadata'.split(
    ' ',
  ),
);
const SHORTEST_SECONDS = 0.1;
const MODELS = /^(?:scribe_v1|scribe_v1_experimental|scribe_v2)$/;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/speech-to-text', operation: 'transcription', handle: transcribe },
];

async function transcribe(exchange: Exchange): Promise<void> {
  const { fields, files } = await readForm(exchange);
  const body = new Reader(
    Object.fromEntries([...fields].map(([name, [first]]) => [name, first])),
    [],
    complainAsElevenLabs,
  );
  body.only(FIELDS);
  const model = body.string('model_id');
  refuseUnknownModel(model);
  if (!MODELS.test(model)) {
    const message = `'${model}' is not a valid model_id. Only 'scribe_v1', 'scribe_v2' are allowed.`;
    throw refuse(400, { type: 'validation_error', code: 'invalid_model_id', message }, 'model_id');
  }
  const diarize = body.optionalOneOf('diarize', ['true', 'false'] as const) === 'true';
  const granularity = body.optionalOneOf('timestamps_granularity', ['none', 'word', 'character'] as const) ?? 'word';
  const temperature = Number(body.optionalString('temperature') ?? 0);
  if (!(temperature >= 0 && temperature <= 2)) body.fail('temperature', 'between 0 and 2');
  const file = files.find(({ name }) => name === 'file');
  if (file === undefined) throw complainAsElevenLabs({ kind: 'missing', path: ['file'], want: 'a file' });
  const seconds = (await lengthOf(file.bytes)) ?? 0;
  if (seconds < SHORTEST_SECONDS) {
    const message = 'The audio is too short or cannot be read.';
    throw refuse(400, { type: 'validation_error', code: 'invalid_audio', message }, 'file');
  }
  const heard = heardIn(file.bytes, seconds);
  exchange.record({ kind: 'transcription', model, stream: false, aborted: false, billed: { seconds } });
  const words = heard.flatMap((stretch, index) =>
    punctuated(stretch).flatMap(({ word, start, end }, at) => {
      const more = { speaker_id: diarize ? `speaker_${index % 2}` : null, logprob: -0.01 };
      const said = { text: word, start, end, type: 'word', ...more };
      return index === 0 && at === 0 ? [said] : [{ text: ' ', start, end: start, type: 'spacing', ...more }, said];
    }),
  );
  exchange.reply(200, {
    language_code: body.optionalString('language_code') ?? 'eng',
    language_probability: 0.98,
    text: textOf(heard),
    words: granularity === 'none' ? [] : words,
    transcription_id: exchange.stage.newId(''),
    audio_duration_secs: seconds,
  });
}
