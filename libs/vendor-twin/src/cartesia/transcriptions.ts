import type { Exchange } from '../core/exchange.ts';
import { readForm } from '../core/multipart.ts';
import { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { heardIn, lengthOf, punctuated, textOf } from '../media/sound.ts';
import { complainAsCartesia, refuseAsCartesia, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set(['model', 'language', 'timestamp_granularities']);
const MODELS = /^ink-whisper(?:-2025-06-04)?$/;
const LANGUAGE = /^[a-z]{2,3}$/;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/stt', operation: 'transcription', handle: transcribe },
];

async function transcribe(exchange: Exchange): Promise<void> {
  const { fields, files } = await readForm(exchange);
  const values = [...fields].map(([name, all]) => [name.replace(/\[\]$/, ''), name.endsWith(']') ? all : all[0]]);
  const body = new Reader(Object.fromEntries(values), [], complainAsCartesia);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  if (!MODELS.test(model)) throw refuseAsCartesia(400, { message: `The model ${model} does not transcribe files.` });
  const language = body.optionalString('language') ?? 'en';
  if (!LANGUAGE.test(language)) body.fail('language', 'a language by ISO 639-1');
  const granularities = body.strings('timestamp_granularities');
  if (granularities.some((each) => each !== 'word')) body.fail('timestamp_granularities', 'word');
  const file = files.find(({ name }) => name === 'file');
  if (file === undefined) throw complainAsCartesia({ kind: 'missing', path: ['file'], want: 'a file' });
  const seconds = await lengthOf(file.bytes);
  if (seconds === undefined) throw refuseAsCartesia(400, { message: 'The audio file cannot be decoded.' });
  const heard = heardIn(file.bytes, seconds);
  exchange.record({ kind: 'transcription', model, stream: false, aborted: false, billed: { seconds } });
  exchange.reply(200, {
    type: 'transcript',
    text: textOf(heard),
    language,
    duration: seconds,
    ...(granularities.length > 0 && { words: heard.flatMap(punctuated) }),
    request_id: exchange.stage.newId(''),
  });
}
