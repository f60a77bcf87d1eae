import { isJsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import { readForm } from '../core/multipart.ts';
import { bracketed, Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { heardIn, lengthOf, punctuated, textOf } from '../media/sound.ts';
import { refuseRequest } from './errors.ts';

const VERSIONS = new Set(['2024-11-15', '2025-10-15']);
const FIELDS = new Set(['locales', 'diarization', 'profanityFilterMode', 'channels', 'phraseList', 'enhancedMode']);
const LOCALE = /^[a-z]{2,3}-[A-Z]{2}$/;
const LONGEST_SECONDS = 7200;
const MILLISECONDS = 1000;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/speechtotext/transcriptions:transcribe', operation: 'transcription', handle: transcribe },
];

async function transcribe(exchange: Exchange): Promise<void> {
  if (!VERSIONS.has(exchange.query.get('api-version') ?? ''))
    throw refuseRequest('InvalidParameter', 'The api-version is not supported.');
  const { fields, files } = await readForm(exchange);
  const definition = readDefinition(fields.get('definition')?.[0] ?? '{}');
  const locales = definition.strings('locales');
  const stranger = locales.find((locale) => !LOCALE.test(locale));
  if (stranger !== undefined) throw refuseRequest('InvalidLocale', `The locale '${stranger}' is not supported.`);
  const diarization = definition.optionalObject('diarization');
  diarization?.only(new Set(['enabled', 'maxSpeakers']));
  diarization?.optionalInteger('maxSpeakers', 2, 35);
  const diarizes = diarization?.optionalBoolean('enabled') ?? false;
  const file = files.find(({ name }) => name === 'audio');
  if (file === undefined) throw refuseRequest('EmptyAudioFile', 'The audio is missing.');
  const seconds = await lengthOf(file.bytes);
  if (seconds === undefined) throw refuseRequest('InvalidAudioFormat', 'The audio format is not supported.');
  if (seconds > LONGEST_SECONDS) throw refuseRequest('AudioLengthLimitExceeded', 'The audio is too long.');
  const heard = heardIn(file.bytes, seconds);
  exchange.record({ kind: 'transcription', model: 'fast', stream: false, aborted: false, billed: { seconds } });
  exchange.reply(200, {
    durationMilliseconds: Math.round(seconds * MILLISECONDS),
    combinedPhrases: heard.length === 0 ? [] : [{ text: textOf(heard) }],
    phrases: heard.map((stretch, index) => ({
      ...(diarizes && { speaker: index % 2 }),
      ...placed(stretch),
      text: `${stretch.words.join(' ')}.`,
      words: punctuated(stretch).map((word) => ({ text: word.word, ...placed(word) })),
      locale: locales[0] ?? 'en-US',
      confidence: 0.99,
    })),
  });
}

function placed({ start, end }: { readonly start: number; readonly end: number }) {
  const offsetMilliseconds = Math.round(start * MILLISECONDS);
  return { offsetMilliseconds, durationMilliseconds: Math.round(end * MILLISECONDS) - offsetMilliseconds };
}

function readDefinition(text: string): Reader {
  const complain = ({ path, want }: { readonly path: readonly (string | number)[]; readonly want: string }) =>
    refuseRequest('InvalidParameter', `${bracketed(path)} must be ${want}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw refuseRequest('InvalidParameter', 'The definition is no JSON object.');
  const definition = new Reader(value, [], complain);
  definition.only(FIELDS);
  return definition;
}
