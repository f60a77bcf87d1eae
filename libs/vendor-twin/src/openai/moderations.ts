import type { Exchange } from '../core/exchange.ts';
import type { Reader } from '../core/reader.ts';
import type { Route } from '../core/vendor.ts';
import { complainAsOpenAi, refuseUnknownModel, standardHeaders } from './errors.ts';

/** Words that give a text away, by category. */
const WORDS: Readonly<Record<string, RegExp>> = {
  harassment: /\b(?:idiot|loser)\b/i,
  'harassment/threatening': /\bi will hurt you\b/i,
  hate: /\bhate (?:them|those people)\b/i,
  'hate/threatening': /\bwipe them out\b/i,
  illicit: /\b(?:shoplift|pick a lock)\b/i,
  'illicit/violent': /\bbuild a bomb\b/i,
  'self-harm': /\bhurt myself\b/i,
  'self-harm/intent': /\bi want to hurt myself\b/i,
  'self-harm/instructions': /\bhow to hurt myself\b/i,
  sexual: /\bnaked\b/i,
  'sexual/minors': /(?!)/,
  violence: /\b(?:kill|stab|shoot)\b/i,
  'violence/graphic': /\bblood everywhere\b/i,
};
/** Those that pictures are looked at for. */
const OF_PICTURES = /^(?:self-harm|sexual$|violence)/;

export const routes: readonly Route[] = [
  { method: 'POST', path: '/v1/moderations', operation: 'moderation', handle: moderate },
];

async function moderate(exchange: Exchange): Promise<void> {
  const body = exchange.json(complainAsOpenAi);
  body.only(new Set(['model', 'input']));
  const model = body.optionalString('model') ?? 'omni-moderation-latest';
  refuseUnknownModel(model);
  const { texts, pictures } = inputOf(body);
  const markers = await exchange.obey(texts.join('\n'));
  exchange.record({ kind: 'moderation', model, stream: false, aborted: false, billed: {} });
  const results = texts.map((text) => resultOf(text, pictures));
  exchange.reply(
    200,
    { id: exchange.stage.newId('modr-'), model, results: markers.words.has('few') ? [] : results },
    standardHeaders(exchange),
  );
}

/** Parts belong together: their texts are one. */
function inputOf(body: Reader): { readonly texts: readonly string[]; readonly pictures: boolean } {
  const input = body.value['input'];
  if (typeof input === 'string') return { texts: [body.string('input')], pictures: false };
  const items = body.array('input');
  if (items.length === 0) body.fail('input', 'at least one item');
  if (typeof items[0] === 'string') return { texts: body.strings('input'), pictures: false };
  const parts = body.objects('input');
  const texts = parts.map((part) => {
    if (part.oneOf('type', ['text', 'image_url'] as const) === 'text') return part.string('text');
    part.object('image_url').string('url');
    return '';
  });
  const pictures = texts.filter((text) => text === '').length;
  if (pictures > 1) body.fail('input', 'at most one image');
  return { texts: [texts.join('\n')], pictures: pictures > 0 };
}

function resultOf(text: string, pictures: boolean): object {
  const found = Object.entries(WORDS).map(([category, words]) => [category, words.test(text)] as const);
  return {
    flagged: found.some(([, is]) => is),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([category, is]) => [category, is ? 0.97 : 0.0004])),
    category_applied_input_types: Object.fromEntries(
      found.map(([category]) => [category, pictures && OF_PICTURES.test(category) ? ['text', 'image'] : ['text']]),
    ),
  };
}
