import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { sendSound } from '../media/sound.ts';
import { mimeOf, type SpeechFormat, type SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';
import { refuseSpeech } from './errors.ts';

/** The twin's sound has one rate. */
const OUTPUTS: Readonly<Record<string, SpeechFormat>> = {
  'audio-24khz-96kbitrate-mono-mp3': 'mp3',
  'ogg-24khz-16bit-mono-opus': 'opus',
  'riff-24khz-16bit-mono-pcm': 'wav',
  'raw-24khz-16bit-mono-pcm': 'pcm',
};
const SSML =
  /^<speak version="1\.0" xmlns="http:\/\/www\.w3\.org\/2001\/10\/synthesis" xml:lang="([\w-]+)"><voice name="([^"<&]+)">(?:<prosody rate="([\d.]+)">)?([^<>]*)(?:<\/prosody>)?<\/voice><\/speak>$/;
const VOICE = /^[a-z]{2,3}-[A-Z]{2}-\w+(?::\w+)?$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export const routes: readonly Route[] = [
  { method: 'POST', path: /^(?:\/tts)?\/cognitiveservices\/v1$/, operation: 'speech', handle: speak },
];

async function speak(exchange: Exchange): Promise<void> {
  if (exchange.header('content-type') !== 'application/ssml+xml') throw refuseSpeech(415);
  if (exchange.header('user-agent') === undefined) throw refuseSpeech(400, 'User-Agent is required.');
  const format = OUTPUTS[exchange.header('x-microsoft-outputformat') ?? ''];
  if (format === undefined) throw refuseSpeech(400, 'Unsupported output format.');
  const [, , voice = '', rate = '1', written = ''] = SSML.exec(exchange.body.toString('utf8')) ?? [];
  if (voice === '') throw refuseSpeech(400, 'SSML parsing error.');
  if (!VOICE.test(voice)) throw refuseSpeech(400, `Unsupported voice ${voice}.`);
  const speed = Number(rate);
  if (!(speed >= 0.5 && speed <= 2)) throw refuseSpeech(400, 'Unsupported prosody rate.');
  const text = unescaped(written);
  await exchange.obey(text);
  const spec: SpeechSpec = { kind: 'speech', text: withoutMarkers(text), voice, format, sung: false, speed };
  const file = await exchange.stage.media.file(spec);
  exchange.record({
    kind: 'speech',
    model: voice,
    stream: true,
    aborted: false,
    billed: { characters: Array.from(text).length, seconds: secondsOf(spec) },
  });
  await sendSound(exchange, file, { 'content-type': mimeOf(spec), 'x-requestid': exchange.stage.newId('') });
}

/** An ampersand that begins no entity is no XML. */
function unescaped(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text)) throw refuseSpeech(400, 'SSML parsing error.');
  return text.replace(/&(\w+);/g, (_whole, name: string) => ENTITIES[name] ?? '');
}
