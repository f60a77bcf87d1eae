import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { badContent } from '../gemini/errors.ts';
import type { SpeechSpec } from '../media/spec.ts';
import { methodOf } from './paths.ts';

const CLIP_SECONDS = 30;

/** Lyria's `:predict`. */
export const routes: readonly Route[] = [
  { method: 'POST', path: methodOf('google', 'predict', 'lyria-[^/:]+'), operation: 'music', handle: predict },
];

async function predict(exchange: Exchange): Promise<void> {
  const body = exchange.json(({ path, want }) => badContent(`${path.join('.')} must be ${want}`));
  body.only(new Set(['instances', 'parameters']));
  const [instance] = body.objects('instances');
  const { value } = instance ?? new Reader(undefined, ['instances', 0], () => badContent('instances is empty.'));
  const prompt = value['prompt'];
  if (typeof prompt !== 'string' || prompt === '') throw badContent('prompt is required.');
  const stranger = Object.keys(value).find((name) => !['prompt', 'negative_prompt', 'seed'].includes(name));
  if (stranger !== undefined) throw badContent(`Unknown field ${stranger}.`);
  const parameters = body.optionalObject('parameters');
  parameters?.only(new Set(['sample_count']));
  if (parameters?.has('sample_count') === true && value['seed'] !== undefined)
    throw badContent('seed cannot be used with sample_count.');
  const markers = await exchange.obey(prompt);
  if (markers.words.has('refuse')) throw badContent('The prompt was blocked by safety filters.');
  const text = withoutMarkers(prompt);
  const spec: SpeechSpec = { kind: 'speech', text, voice: 'lyria', format: 'wav', sung: true, speed: 1 };
  const file = await exchange.stage.media.file(spec);
  const model = exchange.params['model'] ?? '';
  exchange.record({ kind: 'music', model, stream: false, aborted: false, billed: { seconds: CLIP_SECONDS } });
  exchange.reply(200, { predictions: [{ audioContent: file.toString('base64'), mimeType: 'audio/wav' }] });
}
