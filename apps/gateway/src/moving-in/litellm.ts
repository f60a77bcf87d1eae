/** The `config.yaml` of LiteLLM's proxy (https://docs.litellm.ai/docs/proxy/configs). */
import type { JsonObject } from '@model-gateway/contracts';
import { MODEL_KINDS, type ModelKind } from '@model-gateway/core';
import { Draft, numberIn, objectIn, objectsIn, perMillion, textIn, textsIn, type AccountRow } from './draft.ts';
import { accountFor, addOffer, type Deployment, type KnownModels } from './known-models.ts';
import { deploymentOf, PRICES } from './litellm-deployment.ts';

/** Modes that are not called as our kinds are. */
const KINDS: Readonly<Record<string, ModelKind>> = {
  completion: 'chat',
  responses: 'chat',
  image_generation: 'image',
  audio_transcription: 'transcription',
  audio_speech: 'speech',
};
const STRATEGIES: Readonly<Record<string, string | undefined>> = {
  'simple-shuffle': undefined,
  'least-busy': 'least_busy',
  'latency-based-routing': 'lowest_latency',
  'cost-based-routing': 'cheapest',
};
const FALLBACKS: Readonly<Record<string, string>> = {
  fallbacks: 'on_error',
  context_window_fallbacks: 'on_context_too_long',
  content_policy_fallbacks: 'on_content_refusal',
};
/** What the gateway does without being told. */
const BY_ITSELF: Readonly<Record<string, string>> = {
  drop_params:
    'parameters that a model does not take are dropped between formats always, and named in x-gateway-dropped',
  cooldown_time: 'a vendor that refuses cools for as long as its retry-after says',
  allowed_fails: 'a vendor that refuses cools by itself',
  set_verbose: 'LOG_LEVEL=debug',
  request_timeout: 'timeout_seconds of an account or a model',
  json_logs: 'logs are JSON where nobody reads them on a terminal',
  database_url: 'database.url; a file of SQLite where nothing is said',
  redis_host: 'redis.url, for limits of several processes',
  store_model_in_db: 'models can be changed in the console, and lie over the file',
  ui_access_mode: 'the console is at /console, for those who have the admin key or sign in',
};

/** Reads the file's value. */
export function fromLiteLlm(config: JsonObject, known: KnownModels): Draft {
  const draft = new Draft(config);
  const router = objectIn(config['router_settings']);
  const settings = objectIn(config['litellm_settings']);
  readModels(draft, known, objectsIn(config['model_list']));
  readAliases(draft, objectIn(router['model_group_alias']));
  readFallbacks(draft, { ...settings, ...router });
  readRouting(draft, router, numberIn(router['num_retries']) ?? numberIn(settings['num_retries']));
  tellOthers(draft, 'router_settings', router, [
    ...['model_group_alias', 'routing_strategy', 'num_retries', 'default_fallbacks'],
    ...Object.keys(FALLBACKS),
  ]);
  tellOthers(draft, 'litellm_settings', settings, ['num_retries', 'default_fallbacks', ...Object.keys(FALLBACKS)]);
  readGeneral(draft, objectIn(config['general_settings']));
  for (const section of Object.keys(config))
    if (!['model_list', 'router_settings', 'litellm_settings', 'general_settings'].includes(section))
      draft.note(section, 'is not carried over');
  return draft;
}

function readModels(draft: Draft, known: KnownModels, list: readonly JsonObject[]): void {
  list.forEach((entry, index) => {
    const name = textIn(entry['model_name']);
    const place = `model_list[${index}]${name === undefined ? '' : ` (${name})`}`;
    const deployment = deploymentOf(draft, known, place, objectIn(entry['litellm_params']));
    if (name === undefined || deployment === undefined) {
      if (name === undefined) draft.note(place, 'has no model_name');
      return;
    }
    if (name.includes('*')) return tellWildcard(draft, known, place, deployment);
    addDeployment(draft, known, {
      ...{ name, place, deployment },
      info: objectIn(entry['model_info']),
      params: objectIn(entry['litellm_params']),
    });
  });
}

function tellWildcard(draft: Draft, known: KnownModels, place: string, { base }: Deployment): void {
  const there = known.modelsOf(base).length;
  draft.note(
    place,
    there > 0
      ? `is left out: ${there} models of this vendor are built in, with prices. Write a row whose code ends with * for others; it needs a price, that of the dearest`
      : 'is left out: write a row whose code ends with *; it needs a price, that of the dearest',
  );
}

interface Named {
  readonly name: string;
  readonly place: string;
  readonly deployment: Deployment;
  readonly params: JsonObject;
  readonly info: JsonObject;
}

function addDeployment(draft: Draft, known: KnownModels, { name, place, deployment, params, info }: Named): void {
  const account = accountFor(draft, known, deployment);
  const { base, model } = deployment;
  const mode = textIn(info['mode']);
  const kind = mode === undefined ? undefined : kindOf(mode);
  if (mode !== undefined && kind === undefined) draft.note(`${place}.model_info.mode`, `is unknown: ${mode}`);
  addBudget(draft, { account, base, model, params, place });
  const before = draft.models.get(name);
  const price = priceOf({ ...info, ...params });
  const total = numberIn(params['timeout']);
  const row = addOffer(draft, known, {
    ...{ code: name, account, deployment, kind, limits: limitsOf(info), priceAs: () => price },
    like: known.model(base, model) ?? known.model(base, textIn(info['base_model']) ?? ''),
  });
  if (total !== undefined && row.timeout_seconds === undefined)
    draft.models.set(name, { ...row, timeout_seconds: { total } });
  if (price !== undefined && before?.price !== undefined && JSON.stringify(price) !== JSON.stringify(before.price))
    draft.note(place, `has another price than the first ${name}: a model has one price here, that of the first`);
}

function kindOf(mode: string): ModelKind | undefined {
  return KINDS[mode] ?? MODEL_KINDS.find((kind) => mode === kind || mode === `${kind}s`);
}

interface Budgeted {
  readonly account: string;
  readonly base: string;
  readonly model: string;
  readonly params: JsonObject;
  readonly place: string;
}

function addBudget(draft: Draft, { account, base, model, params, place }: Budgeted): void {
  const requests = numberIn(params['rpm']);
  const tokens = numberIn(params['tpm']);
  const parallel = numberIn(params['max_parallel_requests']);
  if (requests === undefined && tokens === undefined && parallel === undefined) return;
  // A built-in account is changed by a row of its name.
  const row = draft.accounts.get(account) ?? ({ name: account } as AccountRow);
  const models = objectIn(row.budget?.['models']);
  const budget = {
    ...(requests !== undefined && { requests_per_minute: requests }),
    ...(tokens !== undefined && { tokens_per_minute: tokens }),
  };
  if (Object.hasOwn(models, model)) draft.note(place, `has a second limit for ${model} at ${account}: the last counts`);
  draft.accounts.set(account, {
    ...row,
    ...(Object.keys(budget).length > 0 && { budget: { ...row.budget, models: { ...models, [model]: budget } } }),
    ...(parallel !== undefined && { max_concurrency: parallel }),
  });
  if (parallel !== undefined)
    draft.note(place, `max_parallel_requests is the account's max_concurrency here (${base}): all its models together`);
}

function priceOf(said: JsonObject): JsonObject | undefined {
  const price = Object.entries(PRICES).flatMap(([theirs, ours]) => {
    const perToken = numberIn(said[theirs]);
    return perToken === undefined ? [] : [[ours, perMillion(perToken)] as const];
  });
  return price.length === 0 ? undefined : Object.fromEntries(price);
}

function limitsOf(info: JsonObject): JsonObject | undefined {
  const input = numberIn(info['max_input_tokens']);
  const output = numberIn(info['max_output_tokens']) ?? numberIn(info['max_tokens']);
  if (input === undefined && output === undefined) return undefined;
  return {
    ...(input !== undefined && { max_input_tokens: input }),
    ...(output !== undefined && { max_output_tokens: output }),
  };
}

function readAliases(draft: Draft, aliases: JsonObject): void {
  for (const [alias, target] of Object.entries(aliases)) {
    const name = textIn(target) ?? textIn(objectIn(target)['model']);
    const row = name === undefined ? undefined : draft.models.get(name);
    if (row === undefined) draft.note(`router_settings.model_group_alias.${alias}`, 'names no model of the file');
    else draft.models.set(row.code, { ...row, aliases: [...(row.aliases ?? []), alias] });
  }
}

function readFallbacks(draft: Draft, settings: JsonObject): void {
  for (const [theirs, ours] of Object.entries(FALLBACKS))
    for (const entry of objectsIn(settings[theirs]))
      for (const [name, targets] of Object.entries(entry))
        addFallback(draft, { theirs, ours, name, targets: textsIn(targets) });
  const usual = textsIn(settings['default_fallbacks']);
  if (usual.length === 0) return;
  for (const { code, fallbacks } of draft.models.values())
    if (fallbacks?.['on_error'] === undefined && !usual.includes(code))
      addFallback(draft, { theirs: 'default_fallbacks', ours: 'on_error', name: code, targets: usual });
}

function addFallback(
  draft: Draft,
  { theirs, ours, name, targets }: { theirs: string; ours: string; name: string; targets: readonly string[] },
): void {
  const row = draft.models.get(name);
  const there = targets.filter((target) => draft.models.has(target));
  for (const target of targets)
    if (!draft.models.has(target)) draft.note(`${theirs}.${name}`, `${target} is no model of the file`);
  if (row === undefined) return draft.note(`${theirs}.${name}`, 'is no model of the file');
  const apart = there.filter((target) => draft.models.get(target)?.kind !== row.kind);
  if (apart.length > 0) draft.note(`${theirs}.${name}`, `${apart.join(', ')} is of another kind than ${name}`);
  const fitting = there.filter((target) => !apart.includes(target));
  if (fitting.length > 0) draft.models.set(name, { ...row, fallbacks: { ...row.fallbacks, [ours]: [...fitting] } });
}

function readRouting(draft: Draft, router: JsonObject, retries: number | undefined): void {
  const named = textIn(router['routing_strategy']);
  const strategy = named === undefined ? undefined : STRATEGIES[named];
  if (named !== undefined && !Object.hasOwn(STRATEGIES, named))
    draft.note(
      'router_settings.routing_strategy',
      `${named} has no equal: offers are taken by weight. Others are least_busy, lowest_latency, cheapest`,
    );
  for (const [name, row] of draft.models) {
    const isChosen = strategy !== undefined && (row.offers?.length ?? 0) > 1;
    draft.models.set(name, {
      ...row,
      ...(isChosen && { strategy }),
      ...(retries !== undefined && retries < 20 && { retries: { attempts: retries + 1 } }),
    });
  }
}

function readGeneral(draft: Draft, general: JsonObject): void {
  const { master_key: master, ...others } = general;
  if (master !== undefined)
    draft.note(
      'general_settings.master_key',
      'the admin key is GATEWAY_ADMIN_KEY (24 characters or more), and no key of a caller: make those with gateway keys create',
    );
  tellOthers(draft, 'general_settings', others, []);
  draft.note(
    'keys',
    "virtual keys, teams and budgets are in LiteLLM's database, not in this file: declare their texts as keys, so that callers need no new ones, or make new ones with gateway keys create",
  );
}

function tellOthers(draft: Draft, section: string, said: JsonObject, read: readonly string[]): void {
  for (const name of Object.keys(said))
    if (!read.includes(name)) draft.note(`${section}.${name}`, BY_ITSELF[name] ?? 'is not carried over');
}
