import { createHash } from 'node:crypto';
import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { heardIn, lengthOf, punctuated, textOf } from '../media/sound.ts';
import { checkQuery, flagIn, refuseAsDeepgram } from './errors.ts';

const QUERY = new Set(
  'model language detect_language smart_format punctuate diarize diarize_model utterances utt_split paragraphs numerals measurements dictation filler_words profanity_filter redact keyterm keywords search replace multichannel encoding version tag extra callback callback_method mip_opt_out summarize topics intents sentiment detect_entities custom_topic custom_intent custom_topic_mode custom_intent_mode'.split(
    ' ',
  ),
);
const MODELS = /^(?:nova-3|nova-2|nova|enhanced|base)(?:-[a-z]+)?$|^whisper-(?:tiny|base|small|medium|large)$/;
const LANGUAGES = /^(?:multi|[a-z]{2}(?:-[A-Z]{2}|-419)?)$/;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/listen', operation: 'transcription', handle: listen },
];

async function listen(exchange: Exchange): Promise<void> {
  const { query, body } = exchange;
  checkQuery(query, QUERY);
  const model = query.get('model') ?? 'base';
  const language = query.get('language') ?? 'en';
  if (!MODELS.test(model) || !LANGUAGES.test(language))
    throw refuseAsDeepgram(400, { message: 'Bad Request: No such model/language/tier combination found.' });
  const detects = flagIn(query, 'detect_language');
  const diarizes = flagIn(query, 'diarize');
  const formats = flagIn(query, 'smart_format') || flagIn(query, 'punctuate');
  const seconds = await lengthOf(body);
  if (seconds === undefined || seconds === 0)
    throw refuseAsDeepgram(400, { message: 'Bad Request: failed to process audio: corrupt or unsupported data' });
  const heard = heardIn(body, seconds);
  exchange.record({ kind: 'transcription', model, stream: false, aborted: false, billed: { seconds } });
  const words = heard.flatMap((stretch, index) =>
    punctuated(stretch).map(({ word, start, end }) => ({
      word: word.replace('.', ''),
      start,
      end,
      confidence: 0.99,
      ...(formats && { punctuated_word: word }),
      ...(diarizes && { speaker: index % 2, speaker_confidence: 0.9 }),
    })),
  );
  const text = textOf(heard);
  exchange.reply(200, {
    metadata: {
      transaction_key: 'deprecated',
      request_id: exchange.stage.newId(''),
      sha256: createHash('sha256').update(body).digest('hex'),
      created: new Date(exchange.stage.now()).toISOString(),
      duration: seconds,
      channels: 1,
      models: ['twin'],
      model_info: { twin: { name: model, version: 'twin', arch: model } },
    },
    results: {
      channels: [
        {
          alternatives: [{ transcript: formats ? text : text.replaceAll('.', ''), confidence: 0.99, words }],
          ...(detects && { detected_language: 'en', language_confidence: 0.99 }),
        },
      ],
    },
  });
}
