import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { sendSound } from '../media/sound.ts';
import { mimeOf, type SpeechFormat, type SpeechSpec } from '../media/spec.ts';
import { secondsOf } from '../media/speech.ts';
import { checkQuery, complainAsDeepgram, refuseAsDeepgram } from './errors.ts';

const QUERY = new Set(
  'model encoding container sample_rate bit_rate speed callback callback_method mip_opt_out tag'.split(' '),
);
const LONGEST = 2000;
const VOICES =
  /^aura-(?:asteria|luna|stella|athena|hera|orion|arcas|perseus|angus|orpheus|helios|zeus)-en$|^aura-2-[a-z]+-(?:en|es|de|fr|nl|it|ja)$/;
/** What each encoding may be wrapped in; the first is the one without a word. */
const CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  linear16: ['wav', 'none'],
  flac: [''],
  mp3: [''],
  opus: ['ogg'],
  aac: [''],
  mulaw: ['wav', 'none'],
  alaw: ['wav', 'none'],
};
/** Those whose rate cannot be chosen. */
const FIXED_RATE = new Set(['mp3', 'opus', 'aac']);

export const routes: readonly Route[] = [{ method: 'POST', path: '/v1/speak', operation: 'speech', handle: speak }];

async function speak(exchange: Exchange): Promise<void> {
  const { query } = exchange;
  checkQuery(query, QUERY);
  const body = exchange.json(complainAsDeepgram);
  body.only(new Set(['text']));
  const text = body.string('text');
  const model = query.get('model') ?? 'aura-asteria-en';
  if (!VOICES.test(model)) throw refuseAsDeepgram(400, { message: 'Bad Request: No such model found.' });
  const format = formatOf(query);
  if (text.length > LONGEST)
    throw refuseAsDeepgram(413, { message: `Input text exceeds maximum character limit of ${LONGEST}.` });
  const speed = Number(query.get('speed') ?? 1);
  if (!(speed >= 0.7 && speed <= 1.5))
    throw refuseAsDeepgram(400, { message: 'Bad Request: speed must be between 0.7 and 1.5.' });
  await exchange.obey(text);
  const spec: SpeechSpec = { kind: 'speech', text: withoutMarkers(text), voice: model, format, sung: false, speed };
  const file = await exchange.stage.media.file(spec);
  const characters = Array.from(text).length;
  exchange.record({
    kind: 'speech',
    model,
    stream: true,
    aborted: false,
    billed: { characters, seconds: secondsOf(spec) },
  });
  await sendSound(exchange, file, {
    'content-type': mimeOf(spec),
    'dg-char-count': String(characters),
    'dg-model-name': model,
    'dg-request-id': exchange.stage.newId(''),
  });
}

function formatOf(query: URLSearchParams): SpeechFormat {
  const encoding = query.get('encoding') ?? 'mp3';
  const containers = CONTAINERS[encoding];
  if (containers === undefined)
    throw refuseAsDeepgram(400, { message: `Bad Request: unsupported encoding '${encoding}'.` });
  const container = query.get('container') ?? containers[0] ?? '';
  if (!containers.includes(container))
    throw refuseAsDeepgram(400, { message: `Bad Request: unsupported container '${container}' for ${encoding}.` });
  const rate = query.get('sample_rate');
  if (rate !== null && FIXED_RATE.has(encoding))
    throw refuseAsDeepgram(400, { message: `Bad Request: sample_rate is not applicable when encoding=${encoding}.` });
  if (encoding === 'linear16') {
    // The twin's sound has one rate.
    if (rate !== '24000')
      throw refuseAsDeepgram(400, { message: `Bad Request: unsupported sample_rate '${rate ?? ''}'.` });
    return container === 'wav' ? 'wav' : 'pcm';
  }
  if (encoding === 'mp3' || encoding === 'opus' || encoding === 'aac' || encoding === 'flac') return encoding;
  throw refuseAsDeepgram(400, { message: `Bad Request: the twin does not play ${encoding}.` });
}
