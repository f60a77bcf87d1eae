import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { sendSound } from '../media/sound.ts';
import { mimeOf, type SpeechFormat, type SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';
import { complainAsElevenLabs, refuse, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(
  'text model_id language_code voice_settings pronunciation_dictionary_locators seed previous_text next_text previous_request_ids next_request_ids use_pvc_as_ivc apply_text_normalization apply_language_text_normalization audio_effects'.split(
    ' ',
  ),
);
const SETTINGS = new Set(['stability', 'use_speaker_boost', 'similarity_boost', 'style', 'speed']);
/** The twin's sound has one rate: other rates of the vendor's are not played. */
const OUTPUTS: Readonly<Record<string, SpeechFormat>> = {
  mp3_44100_128: 'mp3',
  opus_48000_128: 'opus',
  wav_24000: 'wav',
  pcm_24000: 'pcm',
};
const LONGEST: readonly (readonly [model: RegExp, characters: number])[] = [
  [/^eleven_(?:flash|turbo)_v2_5$/, 40_000],
  [/^eleven_(?:flash|turbo)_v2$/, 30_000],
  [/^eleven_v3$/, 5000],
  [/./, 10_000],
];
const VOICE_ID = /^[A-Za-z0-9]{20}$/;

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1\/text-to-speech\/(?<voice>[^/]+)(?<stream>\/stream)?$/,
    operation: 'speech',
    handle: speak,
  },
];

async function speak(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsElevenLabs);
  body.only(FIELDS);
  const text = body.string('text');
  const model = body.optionalString('model_id') ?? 'eleven_multilingual_v2';
  refuseUnknownModel(model);
  const format = formatOf(exchange);
  const voice = exchange.params['voice'] ?? '';
  if (!VOICE_ID.test(voice)) {
    const message = `A voice for the voice_id ${voice} was not found.`;
    throw refuse(404, { type: 'not_found', code: 'voice_not_found', message }, 'voice_id');
  }
  const most = LONGEST.find(([name]) => name.test(model))?.[1] ?? 0;
  if (text.length > most) {
    const message = `This request's text has ${text.length} characters and exceeds the character limit of ${most} characters for the model.`;
    throw refuse(400, { type: 'validation_error', code: 'max_character_limit_exceeded', message }, 'text');
  }
  const speed = speedOf(body);
  const markers = await exchange.obey(text);
  if (markers.words.has('refuse')) {
    const message = 'The content violates our policies.';
    throw refuse(400, { type: 'validation_error', code: 'content_against_policy', message });
  }
  if (markers.words.has('no-credit')) {
    const message = 'This request exceeds your quota of 10000. You have 0 credits remaining.';
    throw refuse(401, { type: 'authentication_error', code: 'quota_exceeded', message });
  }
  const spec: SpeechSpec = { kind: 'speech', text: withoutMarkers(text), voice, format, sung: false, speed };
  const file = await exchange.stage.media.file(spec);
  const characters = Array.from(text).length;
  const stream = exchange.params['stream'] !== undefined;
  exchange.record({
    kind: 'speech',
    model,
    stream,
    aborted: false,
    billed: { characters, seconds: secondsOf(spec) },
  });
  // Flash and Turbo cost half a credit for a character.
  const credits = /flash|turbo/.test(model) ? Math.ceil(characters / 2) : characters;
  await sendSound(exchange, file, {
    'content-type': mimeOf(spec),
    'character-cost': String(credits),
    'request-id': exchange.stage.newId(''),
  });
}

function formatOf(exchange: Exchange): SpeechFormat {
  const asked = exchange.query.get('output_format') ?? 'mp3_44100_128';
  const format = OUTPUTS[asked];
  const isStream = exchange.params['stream'] !== undefined;
  if (format === undefined || (isStream && format === 'wav')) {
    const message = `Invalid output_format '${asked}'.`;
    throw refuse(400, { type: 'validation_error', code: 'invalid_output_format', message }, 'output_format');
  }
  return format;
}

function speedOf(body: Reader): number {
  const settings = body.optionalObject('voice_settings');
  settings?.only(SETTINGS);
  for (const name of ['stability', 'similarity_boost', 'style']) settings?.optionalNumber(name, 0, 1);
  settings?.optionalBoolean('use_speaker_boost');
  return settings?.optionalNumber('speed', 0.7, 1.2) ?? 1;
}
