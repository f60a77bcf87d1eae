import { isJsonObject } from '@model-gateway/contracts';
import { tokensOf } from '../chat/talk.ts';
import type { Exchange } from '../core/exchange.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { asBase64, quantized, vectorOfText } from '../texts/vectors.ts';
import { complainAsJina, refuseUnknownModel } from './errors.ts';

const FIELDS = new Set([
  'model',
  'input',
  'task',
  'dimensions',
  'embedding_type',
  'late_chunking',
  'truncate',
  'normalized',
  'return_multivector',
]);
const TASKS: readonly (readonly [model: string, tasks: readonly string[]])[] = [
  ['-v3', ['retrieval.query', 'retrieval.passage', 'text-matching', 'classification', 'separation']],
  ['-v4', ['retrieval.query', 'retrieval.passage', 'text-matching', 'code.query', 'code.passage']],
  ['-v5', ['retrieval.query', 'retrieval.passage', 'text-matching', 'classification', 'clustering']],
];
const TYPES = ['float', 'base64', 'binary', 'ubinary'];
const READS_PICTURES = /-v4|clip/;
const MOST_INPUTS = 2048;
const TOKENS_OF_PICTURE = 784;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/embeddings', operation: 'embedding', handle: embed },
];

async function embed(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsJina);
  body.only(FIELDS);
  const model = body.string('model');
  refuseUnknownModel(model);
  const tasks = TASKS.find(([name]) => model.includes(name))?.[1] ?? [];
  if (tasks.length === 0 && body.has('task')) body.fail('task', 'absent for this model');
  else body.optionalOneOf('task', tasks);
  body.optionalBoolean('late_chunking');
  body.optionalBoolean('truncate');
  const dimensions = body.optionalInteger('dimensions', 1, 2048) ?? (model.includes('-v4') ? 2048 : 1024);
  const type = body.optionalOneOf('embedding_type', TYPES) ?? 'float';
  const inputs = inputsOf(body, READS_PICTURES.test(model));
  const markers = await exchange.obey(inputs.map(({ text }) => text).join('\n'));
  const tokens = inputs.reduce((sum, each) => sum + each.tokens, 0);
  exchange.record({ kind: 'embedding', model, stream: false, aborted: false, billed: { inputTokens: tokens } });
  const data = inputs.map(({ text }, index) => {
    const vector = vectorOfText(withoutMarkers(text), dimensions);
    return { object: 'embedding', index, embedding: type === 'base64' ? asBase64(vector) : quantized(vector, type) };
  });
  exchange.reply(200, {
    model,
    object: 'list',
    usage: { total_tokens: tokens, prompt_tokens: tokens },
    data: markers.words.has('few') ? data.slice(1) : data,
  });
}

interface Input {
  readonly text: string;
  readonly tokens: number;
}

function inputsOf(body: Reader, takesPictures: boolean): readonly Input[] {
  const given = body.value['input'];
  const list = typeof given === 'string' ? [given] : body.array('input');
  if (list.length === 0 || list.length > MOST_INPUTS) body.fail('input', `between 1 and ${MOST_INPUTS} items`);
  return list.map((item): Input => {
    const { text, image, ...others } = isJsonObject(item) ? item : { text: item, image: undefined };
    if (Object.keys(others).length > 0) body.fail('input', 'texts, {text} or {image}');
    if (typeof text === 'string' && text !== '' && image === undefined)
      return { text, tokens: tokensOf(withoutMarkers(text)) };
    // An address, or base64 without a head.
    if (
      !takesPictures ||
      text !== undefined ||
      typeof image !== 'string' ||
      !/^(?:https?:\/\/|[A-Za-z0-9+/]+=*$)/.test(image)
    )
      return body.fail('input', 'texts, {text} or {image}');
    return { text: `picture ${image.slice(-24)}`, tokens: TOKENS_OF_PICTURE };
  });
}
