import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { sendSound } from '../media/sound.ts';
import { mimeOf, type SpeechFormat, type SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';
import { complainAsCartesia, refuse, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(
  'model_id transcript voice output_format generation_config language locale normalization pronunciation_dict_id save speed'.split(
    ' ',
  ),
);
const RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000] as const;
const BIT_RATES = [32_000, 64_000, 96_000, 128_000, 192_000] as const;
const ENCODINGS = ['pcm_f32le', 'pcm_s16le', 'pcm_mulaw', 'pcm_alaw'] as const;
const VOICE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const routes: readonly Route[] = [{ method: 'POST', path: '/tts/bytes', operation: 'speech', handle: speak }];

async function speak(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsCartesia);
  body.only(FIELDS);
  const model = body.string('model_id');
  refuseUnknownModel(model);
  const text = body.string('transcript');
  const voice = voiceOf(body);
  const format = formatOf(body.object('output_format'));
  const config = body.optionalObject('generation_config');
  config?.only(new Set(['emotion', 'speed', 'volume']));
  const speed = config?.optionalNumber('speed', 0.6, 1.5) ?? 1;
  config?.optionalNumber('volume', 0.5, 2);
  if (body.has('language') && body.has('locale')) body.fail('locale', 'absent where language is given');
  await exchange.obey(text);
  const spec: SpeechSpec = { kind: 'speech', text: withoutMarkers(text), voice, format, sung: false, speed };
  const file = await exchange.stage.media.file(spec);
  exchange.record({
    kind: 'speech',
    model,
    stream: true,
    aborted: false,
    billed: { characters: Array.from(text).length, seconds: secondsOf(spec) },
  });
  await sendSound(exchange, file, { 'content-type': mimeOf(spec) });
}

function voiceOf(body: Reader): string {
  const id = typeof body.value['voice'] === 'string' ? body.string('voice') : body.object('voice').string('id');
  if (VOICE_ID.test(id)) return id;
  throw refuse(404, {
    error_code: 'voice_not_found',
    title: 'Voice not found',
    message: `The voice ${id} does not exist.`,
  });
}

function formatOf(output: Reader): SpeechFormat {
  const container = output.oneOf('container', ['raw', 'wav', 'mp3'] as const);
  const rate = output.oneOf('sample_rate', RATES);
  if (container === 'mp3') {
    output.only(new Set(['container', 'sample_rate', 'bit_rate']));
    output.oneOf('bit_rate', BIT_RATES);
    return 'mp3';
  }
  output.only(new Set(['container', 'sample_rate', 'encoding']));
  // The twin's sound is of one kind.
  if (output.oneOf('encoding', ENCODINGS) !== 'pcm_s16le' || rate !== 24_000)
    output.fail('encoding', 'pcm_s16le at 24000 Hz, which is what the twin plays');
  return container === 'wav' ? 'wav' : 'pcm';
}
