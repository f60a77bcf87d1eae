/** Which model a line of a vendor's bill is of: by the names of the catalogue and the words that vendors put around them. What is not certain is unknown. */
import type { GatewayAccount, ModelRow } from '@model-gateway/core';

/** Words around a model's name, as vendors write them: they say what was counted, and never which model it was. */
const WORDS = new Set(
  [
    'input output cached cache read reads write writes writing hit creation storage 5m 1h 5min 1hr hour ephemeral uncached no',
    'token tokens count counts usage text image images audio video multimodal modality thinking reasoning response',
    'batch batches priority flex standard on demand ondemand tier service fast speed mode data zone',
    'long short context window 0 200k 1m lte gt up to over prompt prompts inference geo us eu global regional cross region',
    'prediction predictions online generate content ga api call calls request requests search grounding web code execution',
    'amazon aws bedrock edition marketplace mp units vertex ai gemini google anthropic openai generative language model garden',
    'inputtokencount outputtokencount cachereadinputtokencount cachewriteinputtokencount cachereadtokencount',
    'cachewritetokencount cachewrite1hinputtokencount inputtokens outputtokens server tool use',
  ].flatMap((line) => line.split(' ')),
);
/** `USE1`, `APN2`: AWS's regions in names of usage. */
const REGION = /^(?:us|eu|ap|ca|sa|me|af|il|mx|ug)[a-z]{0,3}\d$/;
/** Before the names of models at clouds. */
const MAKER = /^(?:(?:us|eu|apac|global|jp|au|ca|us-gov)\.)?(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|ai21|stability|writer|google|minimax|moonshot|nvidia|zai|twelvelabs|luma)\./; // prettier-ignore

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` → `claude-sonnet-4-5`: a model without its maker, date and version. */
export function plainModel(name: string): string {
  return name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(MAKER, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Names of one vendor's models. */
export class ModelNames {
  /** Codes of the catalogue, and what the vendor calls the model. */
  private readonly vendorNames = new Map<string, string>();
  /** Longest first: `gpt-5-mini` is no `gpt-5`. */
  private readonly known: readonly { readonly name: string; readonly parts: readonly string[] }[];
  /** What items are: a bill has the same few on every line. */
  private readonly found = new Map<string, string | undefined>();

  /** `given`: the operator's own word on what an item is. */
  constructor(
    models: Iterable<ModelRow>,
    accounts: readonly Pick<GatewayAccount, 'id'>[],
    given: Readonly<Record<string, string>> = {},
  ) {
    const ids = new Set(accounts.map(({ id }) => id));
    const names = new Set<string>();
    for (const { code, offers } of models)
      for (const { account, model } of offers) {
        if (!ids.has(account.id)) continue;
        names.add(plainModel(model));
        if (!this.vendorNames.has(code)) this.vendorNames.set(code, plainModel(model));
      }
    this.known = [...names]
      .map((name) => ({ name, parts: name.split('-') }))
      .sort((one, other) => other.parts.length - one.parts.length || other.name.length - one.name.length);
    for (const [item, model] of Object.entries(given)) this.found.set(item, this.ofCode(model));
  }

  /** The vendor's model of a code of the catalogue. */
  ofCode(code: string): string {
    return this.vendorNames.get(code) ?? plainModel(code);
  }

  /** The model of a line; undefined when its words leave a doubt. */
  ofItem(item: string): string | undefined {
    if (!this.found.has(item)) this.found.set(item, this.readItem(item));
    return this.found.get(item);
  }

  private readItem(item: string): string | undefined {
    const words = item.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').split('-').filter((word) => word !== ''); // prettier-ignore
    for (const { name, parts } of this.known) {
      const around = wordsAround(words, parts);
      if (around.length < words.length)
        return around.every((word) => WORDS.has(word) || REGION.test(word)) ? name : undefined;
    }
    return undefined;
  }
}

/** The words without a model's name, however often it stands there, and without the dates behind it. */
function wordsAround(words: readonly string[], parts: readonly string[]): readonly string[] {
  const compact = parts.join('');
  const around: string[] = [];
  for (let at = 0; at < words.length;) {
    const isName = parts.every((part, next) => words[at + next] === part);
    const length = words[at] === compact ? 1 : isName ? parts.length : 0;
    if (length === 0) around.push(words[at++] ?? '');
    else at += length + dateLength(words.slice(at + length, at + length + 3));
  }
  return around;
}

/** `2025-08-07` and `20250807` behind a name are its version, which prices do not know. */
function dateLength([year = '', month = '', day = '']: readonly string[]): number {
  if (/^20\d{6}$/.test(year)) return 1;
  return /^20\d{2}$/.test(year) && /^\d{2}$/.test(month) && /^\d{2}$/.test(day) ? 3 : 0;
}
