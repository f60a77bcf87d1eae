import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { refuseAsGoogle } from '../gemini/errors.ts';
import { heardIn, lengthOf, punctuated } from '../media/sound.ts';
import { complainAsGoogleSpeech } from './speech.ts';

const LONGEST_SECONDS = 60;
const LARGEST = 10 * 1024 * 1024;
const MODELS = new Set(['chirp', 'chirp_2', 'chirp_3', 'long', 'short', 'latest_long', 'latest_short', 'telephony']);
const LANGUAGE = /^(?:auto|[a-z]{2,3}(?:-[A-Z][a-z]{3})?-[A-Z]{2}|[a-z]{2,3})$/;
const FEATURES = new Set(
  'enableAutomaticPunctuation enableWordTimeOffsets enableWordConfidence profanityFilter enableSpokenPunctuation enableSpokenEmojis multiChannelMode diarizationConfig maxAlternatives'.split(
    ' ',
  ),
);

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v2\/projects\/(?<project>[^/]+)\/locations\/(?<location>[^/]+)\/recognizers\/_:recognize$/,
    operation: 'transcription',
    handle: recognize,
  },
];

async function recognize(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsGoogleSpeech);
  body.only(new Set(['config', 'configMask', 'content', 'uri']));
  const config = body.object('config');
  config.only(
    new Set(['autoDecodingConfig', 'explicitDecodingConfig', 'model', 'languageCodes', 'features', 'adaptation']),
  );
  config.object('autoDecodingConfig');
  const model = config.string('model');
  if (!MODELS.has(model))
    throw refuseAsGoogle(404, {
      message: `The model "${model}" does not exist in the location named "${exchange.params['location'] ?? ''}".`,
    });
  const languages = config.strings('languageCodes');
  if (languages.length === 0) config.fail('languageCodes', 'a list of at least one language');
  const stranger = languages.find((language) => !LANGUAGE.test(language));
  if (stranger !== undefined)
    throw refuseAsGoogle(400, { message: `The language "${stranger}" is not supported by the model "${model}".` });
  const features = config.optionalObject('features');
  features?.only(FEATURES);
  const times = features?.optionalBoolean('enableWordTimeOffsets') ?? false;
  const sound = Buffer.from(body.string('content'), 'base64');
  if (sound.byteLength > LARGEST)
    throw refuseAsGoogle(400, { message: 'Request audio can be a maximum of 10485760 bytes.' });
  const seconds = await lengthOf(sound);
  if (seconds === undefined) throw refuseAsGoogle(400, { message: 'Audio encoding could not be detected.' });
  if (seconds > LONGEST_SECONDS) throw refuseAsGoogle(400, { message: 'Audio can be a maximum of 60 seconds.' });
  const heard = heardIn(sound, seconds);
  exchange.record({ kind: 'transcription', model, stream: false, aborted: false, billed: { seconds } });
  const metadata = { totalBilledDuration: `${Math.ceil(seconds)}s`, requestId: exchange.stage.newId('') };
  const results = heard.map((stretch) => ({
    alternatives: [
      {
        transcript: `${stretch.words.join(' ')}.`,
        confidence: 0.99,
        ...(times && {
          words: punctuated(stretch).map(({ word, start, end }) => ({
            // Nothing is written of an offset of nothing.
            ...(start > 0 && { startOffset: `${start.toFixed(3)}s` }),
            endOffset: `${end.toFixed(3)}s`,
            word,
          })),
        }),
      },
    ],
    resultEndOffset: `${stretch.end.toFixed(3)}s`,
    languageCode: languages[0] === 'auto' ? 'en-US' : languages[0],
  }));
  exchange.reply(200, { ...(results.length > 0 && { results }), metadata });
}
