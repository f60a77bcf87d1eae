import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { sendSound } from '../media/sound.ts';
import { mimeOf, type SpeechFormat, type SpeechSpec } from '../media/spec.ts';
import { complainAsElevenLabs, refuse, refuseUnknownModel } from './errors.ts';

const SONG_FIELDS = new Set(
  'prompt composition_plan music_length_ms model_id seed force_instrumental finetune_id respect_sections_durations store_for_inpainting sign_with_c2pa'.split(
    ' ',
  ),
);
const EFFECT_FIELDS = new Set(['text', 'loop', 'duration_seconds', 'prompt_influence', 'model_id']);
const OUTPUTS: Readonly<Record<string, SpeechFormat>> = { mp3_44100_128: 'mp3', opus_48000_128: 'opus' };
const SONG_MODELS = ['music_v1', 'music_v2', 'music_v2_5'];

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/music', operation: 'music', handle: song },
  { method: 'POST', path: '/v1/sound-generation', operation: 'music', handle: effect },
];

async function song(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsElevenLabs);
  body.only(SONG_FIELDS);
  const prompt = body.string('prompt', 4100);
  const model = body.optionalString('model_id') ?? 'music_v2';
  refuseUnknownModel(model);
  if (!SONG_MODELS.includes(model)) body.fail('model_id', `one of ${SONG_MODELS.join(', ')}`);
  if (body.has('seed')) {
    const message = 'seed cannot be used in conjunction with prompt.';
    throw refuse(400, { type: 'validation_error', code: 'invalid_parameters', message }, 'seed');
  }
  body.optionalBoolean('force_instrumental');
  const length = body.optionalInteger('music_length_ms', 3000, 600_000) ?? 30_000;
  await sing(exchange, { prompt, model, seconds: length / 1000 });
}

async function effect(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsElevenLabs);
  body.only(EFFECT_FIELDS);
  const prompt = body.string('text', 450);
  const model = body.optionalString('model_id') ?? 'eleven_text_to_sound_v2';
  refuseUnknownModel(model);
  if (model !== 'eleven_text_to_sound_v2') body.fail('model_id', 'eleven_text_to_sound_v2');
  body.optionalBoolean('loop');
  body.optionalNumber('prompt_influence', 0, 1);
  await sing(exchange, { prompt, model, seconds: body.optionalNumber('duration_seconds', 0.5, 30) ?? 5 });
}

interface Song {
  readonly prompt: string;
  readonly model: string;
  readonly seconds: number;
}

/** A tune of the prompt's syllables: its length is not the one that was asked for. */
async function sing(exchange: Exchange, { prompt, model, seconds }: Song): Promise<void> {
  const asked = exchange.query.get('output_format') ?? 'mp3_44100_128';
  const format = OUTPUTS[asked];
  if (format === undefined) {
    const message = `Invalid output_format '${asked}'.`;
    throw refuse(400, { type: 'validation_error', code: 'invalid_output_format', message }, 'output_format');
  }
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) {
    const message = 'Your prompt was flagged as potentially violating our Terms of Service.';
    throw refuse(400, { type: 'validation_error', code: 'bad_prompt', message });
  }
  const text = withoutMarkers(prompt);
  const spec: SpeechSpec = { kind: 'speech', text, voice: model, format, sung: true, speed: 1 };
  const file = await exchange.stage.media.file(spec);
  exchange.record({ kind: 'music', model, stream: false, aborted: false, billed: { seconds } });
  await sendSound(exchange, file, { 'content-type': mimeOf(spec), 'request-id': exchange.stage.newId('') });
}
