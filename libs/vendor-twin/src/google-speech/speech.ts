import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { bracketed, type Problem, type Reader } from '../core/reader.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Route } from '../core/vendor.ts';
import { refuseAsGoogle } from '../gemini/errors.ts';
import type { SpeechFormat, SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';

const LONGEST_BYTES = 5000;
const FORMATS: Readonly<Record<string, SpeechFormat>> = { MP3: 'mp3', OGG_OPUS: 'opus', LINEAR16: 'wav' };
const VOICE = /^[a-z]{2,3}-[A-Z]{2}-(?:Chirp3-HD|Neural2|Wavenet|Standard|Studio)-[A-Z]\w*$/;
const GEMINI = /^gemini-[\d.]+-(?:flash|pro|flash-lite)(?:-preview)?-tts$/;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/text:synthesize', operation: 'speech', handle: synthesize },
];

export function complainAsGoogleSpeech({ kind, path, want }: Problem): Refusal {
  const message =
    kind === 'unknown'
      ? `Invalid JSON payload received. Unknown name "${String(path.at(-1))}": Cannot find field.`
      : `${bracketed(path)} must be ${want}`;
  return refuseAsGoogle(400, { message });
}

async function synthesize(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsGoogleSpeech);
  body.only(new Set(['input', 'voice', 'audioConfig', 'advancedVoiceOptions']));
  const input = body.object('input');
  input.only(new Set(['text', 'ssml', 'prompt', 'markup']));
  const text = input.string('text');
  if (Buffer.byteLength(text) > LONGEST_BYTES)
    throw refuseAsGoogle(400, {
      message: `Either \`input.text\` or \`input.ssml\` is longer than the limit of ${LONGEST_BYTES} bytes.`,
    });
  const { name, model } = readVoice(body.object('voice'), input);
  const config = body.object('audioConfig');
  config.only(
    new Set(['audioEncoding', 'speakingRate', 'pitch', 'volumeGainDb', 'sampleRateHertz', 'effectsProfileId']),
  );
  const format = FORMATS[config.string('audioEncoding')];
  if (format === undefined) throw refuseAsGoogle(400, { message: 'Unsupported audio encoding.' });
  // The twin's sound has one rate.
  if (format === 'wav' && config.optionalInteger('sampleRateHertz') !== 24_000)
    throw refuseAsGoogle(400, { message: 'The twin makes 24000 Hertz.' });
  const speed = config.optionalNumber('speakingRate', 0.25, 2) ?? 1;
  await exchange.obey(text);
  const spec: SpeechSpec = { kind: 'speech', text: withoutMarkers(text), voice: name, format, sung: false, speed };
  const file = await exchange.stage.media.file(spec);
  exchange.record({
    kind: 'speech',
    model: model ?? name,
    stream: false,
    aborted: false,
    billed: { characters: Array.from(text).length, seconds: secondsOf(spec) },
  });
  exchange.reply(200, { audioContent: file.toString('base64') });
}

function readVoice(voice: Reader, input: Reader): { readonly name: string; readonly model: string | undefined } {
  voice.only(new Set(['languageCode', 'name', 'ssmlGender', 'modelName']));
  const language = voice.string('languageCode');
  const name = voice.string('name');
  const model = voice.optionalString('modelName');
  if (model !== undefined) {
    if (!GEMINI.test(model)) throw refuseAsGoogle(400, { message: `Model ${model} does not exist.` });
    return { name, model };
  }
  if (input.has('prompt')) throw refuseAsGoogle(400, { message: 'Prompt is only supported for Gemini TTS voices.' });
  if (!VOICE.test(name)) throw refuseAsGoogle(400, { message: `Voice '${name}' does not exist. Is it misspelled?` });
  if (!name.startsWith(language))
    throw refuseAsGoogle(400, {
      message: `Requested language code '${language}' doesn't match the voice '${name}'s language code.`,
    });
  return { name, model };
}
