/** The `config.json` of Bifrost (https://docs.getbifrost.ai/deployment-guides/config-json). */
import type { JsonObject } from '@model-gateway/contracts';
import { Draft, numberIn, objectIn, objectsIn, openAiRoot, textIn, textsIn } from './draft.ts';
import { accountFor, addOffer, type KnownModels } from './known-models.ts';

const ACCOUNTS: Readonly<Record<string, string>> = {
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  gemini: 'gemini',
  vertex: 'vertex-ai',
  bedrock: 'bedrock',
  cohere: 'cohere',
  mistral: 'mistral',
  groq: 'groq',
  perplexity: 'perplexity',
  cerebras: 'cerebras',
  openrouter: 'openrouter',
  nebius: 'nebius',
  huggingface: 'huggingface',
  xai: 'xai',
  deepseek: 'deepseek',
  fireworks: 'fireworks',
  ollama: 'local',
  vllm: 'local',
  sgl: 'local',
};
const READ = new Set(['providers', 'governance', '$schema']);
const SPENDS: Readonly<Record<string, string>> = {
  '1h': 'spend_per_hour',
  '1d': 'spend_per_day',
  '24h': 'spend_per_day',
  '1w': 'spend_per_week',
  '7d': 'spend_per_week',
  '1M': 'spend_per_month',
  '30d': 'spend_per_month',
};

export function fromBifrost(config: JsonObject, known: KnownModels): Draft {
  const draft = new Draft(config);
  const providers = objectIn(config['providers']);
  for (const [provider, said] of Object.entries(providers)) addProvider(draft, known, provider, objectIn(said));
  addGovernance(draft, objectIn(config['governance']));
  for (const section of Object.keys(config)) if (!READ.has(section)) draft.note(section, 'is not carried over');
  draft.note(
    'models',
    'names keep their vendor before the slash (openai/gpt-5.2), as callers write them; built-in models have names without one beside that',
  );
  return draft;
}

function addProvider(draft: Draft, known: KnownModels, provider: string, said: JsonObject): void {
  const place = `providers.${provider}`;
  const base = ACCOUNTS[provider];
  if (base === undefined)
    return draft.note(
      place,
      "is left out: the gateway has no such vendor. A server with OpenAI's wire is an account of the vendor openai-compatible",
    );
  const network = objectIn(said['network_config']);
  const seconds = numberIn(network['default_request_timeout_in_seconds']);
  objectsIn(said['keys']).forEach((key, index) => {
    const row = rowOf(draft, { base, provider, key, network });
    if (row === undefined)
      return draft.note(
        `${place}.keys[${index}]`,
        'has credentials that are not carried over: set them in its account',
      );
    const account = accountFor(draft, known, {
      base,
      name: textIn(key['name']) ?? provider,
      row: { ...row, ...(seconds !== undefined && seconds !== 300 && { timeout_seconds: { first_byte: seconds } }) },
    });
    addModels(draft, known, { provider, base, account, key, place: `${place}.keys[${index}]` });
  });
  for (const member of Object.keys(said))
    if (!['keys', 'network_config'].includes(member)) draft.note(`${place}.${member}`, 'is not carried over');
}

interface Provider {
  readonly base: string;
  readonly provider: string;
  readonly key: JsonObject;
  readonly network: JsonObject;
}

function rowOf(draft: Draft, { base, provider, key, network }: Provider) {
  const value = secretOf(draft, key['value'], `${provider}_API_KEY`);
  const url = reference(textIn(network['base_url']));
  if (base === 'azure') {
    const azure = objectIn(key['azure_key_config']);
    const endpoint = reference(textIn(azure['endpoint']));
    const version = textIn(azure['api_version']);
    return {
      ...(endpoint !== undefined && { base_url: endpoint }),
      ...(value !== undefined && { credentials: { api_key: value } }),
      settings: { api_version: version ?? 'v1' },
    };
  }
  if (base === 'bedrock') {
    const bedrock = objectIn(key['bedrock_key_config']);
    const region = reference(textIn(bedrock['region']));
    const id = secretOf(draft, bedrock['access_key'], 'AWS_ACCESS_KEY_ID');
    const secret = secretOf(draft, bedrock['secret_key'], 'AWS_SECRET_ACCESS_KEY');
    const isKeyed = id !== undefined && secret !== undefined;
    return {
      ...(isKeyed && { credentials: { access_key_id: id, secret_access_key: secret } }),
      ...(!isKeyed && value !== undefined && { credentials: { api_key: value } }),
      settings: {
        ...(region !== undefined && { region }),
        ...(!isKeyed && value === undefined && { credentials_from: 'environment' }),
      },
    };
  }
  if (base === 'vertex-ai') {
    const vertex = objectIn(key['vertex_key_config']);
    const project = reference(textIn(vertex['project_id']));
    if (project === undefined) return undefined;
    draft.note(
      `providers.${provider}`,
      'auth_credentials is a service account as JSON: set VERTEX_CLIENT_EMAIL and VERTEX_PRIVATE_KEY from it',
    );
    return {
      credentials: { client_email: '${VERTEX_CLIENT_EMAIL}', private_key: '${VERTEX_PRIVATE_KEY}' },
      settings: { project, location: reference(textIn(vertex['region'])) ?? 'global' },
    };
  }
  if (base === 'local') {
    const own = objectIn(key[`${provider}_key_config`]);
    const server = url ?? reference(textIn(own['url'])) ?? 'http://127.0.0.1:11434';
    return {
      base_url: openAiRoot(server),
      credentials: { api_key: value ?? 'none' },
      settings: {},
    };
  }
  return {
    ...(url !== undefined && { base_url: base === 'openai' ? openAiRoot(url) : url }),
    ...(value !== undefined && { credentials: { api_key: value } }),
  };
}

interface Served {
  readonly provider: string;
  readonly base: string;
  readonly account: string;
  readonly key: JsonObject;
  readonly place: string;
}

function addModels(draft: Draft, known: KnownModels, { provider, base, account, key, place }: Served): void {
  const deployments = objectIn(objectIn(key['azure_key_config'])['deployments'] ?? key['aliases']);
  const listed = textsIn(key['models']);
  const isEvery = listed.length === 0 || listed.includes('*');
  const named = Object.keys(deployments);
  const models = isEvery ? (named.length > 0 ? named : undefined) : listed;
  const refused = new Set(textsIn(key['blacklisted_models']));
  const weight = numberIn(key['weight']) ?? 0;
  const add = (code: string, model: string): void => {
    const deployment = { base, model, weight: weight > 0 ? weight : undefined };
    addOffer(draft, known, { code: `${provider}/${code}`, account, deployment, like: known.model(base, model) });
  };
  if (models !== undefined) {
    for (const name of models) if (!refused.has(name)) add(name, textIn(deployments[name]) ?? name);
    return;
  }
  const builtIn = known.modelsOf(base).filter(({ code }) => !refused.has(code));
  if (builtIn.length === 0)
    draft.note(
      place,
      'serves every model of its vendor; none is built in: write rows for those that are used, with a price each',
    );
  for (const row of builtIn) {
    const model = row.offers?.find((offer) => offer.account === base)?.model;
    if (model !== undefined) add(row.code.startsWith(`${base}/`) ? row.code.slice(base.length + 1) : row.code, model);
  }
}

function addGovernance(draft: Draft, governance: JsonObject): void {
  const budgets = new Map(objectsIn(governance['budgets']).map((budget) => [textIn(budget['id']) ?? '', budget]));
  const rates = new Map(objectsIn(governance['rate_limits']).map((rate) => [textIn(rate['id']) ?? '', rate]));
  const owners = new Map<string, string>();
  for (const section of ['customers', 'teams'])
    for (const each of objectsIn(governance[section])) {
      const name = textIn(each['name']) ?? textIn(each['id']);
      if (name === undefined) continue;
      owners.set(textIn(each['id']) ?? name, name);
      draft.owners.push({ name });
      if (textIn(each['budget_id']) !== undefined)
        draft.note(
          `governance.${section} (${name})`,
          'its budget is not carried over: an owner has a balance or a credit limit, its keys have caps by day and month',
        );
    }
  for (const key of objectsIn(governance['virtual_keys'])) addKey(draft, { key, budgets, rates, owners });
  for (const member of Object.keys(governance))
    if (!['budgets', 'rate_limits', 'customers', 'teams', 'virtual_keys'].includes(member))
      draft.note(`governance.${member}`, 'is not carried over');
}

interface Governed {
  readonly key: JsonObject;
  readonly budgets: ReadonlyMap<string, JsonObject>;
  readonly rates: ReadonlyMap<string, JsonObject>;
  readonly owners: ReadonlyMap<string, string>;
}

function addKey(draft: Draft, { key, budgets, rates, owners }: Governed): void {
  const name = textIn(key['name']) ?? textIn(key['id']) ?? 'key';
  const place = `governance.virtual_keys (${name})`;
  const value = secretOf(draft, key['value'], `${name}_KEY`);
  if (value === undefined) return draft.note(place, 'has no value, and is left out: make it with gateway keys create');
  if (key['is_active'] === false) return draft.note(place, 'is not active, and left out');
  const limits: Record<string, number> = {};
  const budget = budgets.get(textIn(key['budget_id']) ?? '') ?? objectIn(key['budget']);
  const most = numberIn(budget['max_limit']);
  const period = textIn(budget['reset_duration']);
  if (most !== undefined) {
    const spend = period === undefined ? 'spend_total' : SPENDS[period];
    if (spend === undefined)
      draft.note(place, `its budget of ${period} has no equal: caps are by UTC day, calendar month or in all`);
    else limits[spend] = most;
  }
  const rate = rates.get(textIn(key['rate_limit_id']) ?? '') ?? objectIn(key['rate_limit']);
  for (const [theirs, ours] of [
    ['request', 'requests_per_minute'],
    ['token', 'tokens_per_minute'],
  ] as const) {
    const limit = numberIn(rate[`${theirs}_max_limit`]);
    if (limit === undefined) continue;
    const window = textIn(rate[`${theirs}_reset_duration`]);
    if (window === '1m') limits[ours] = limit;
    else
      draft.note(
        place,
        `its limit of ${limit} ${theirs}s in ${window ?? 'no time'} has no equal: limits are by minute`,
      );
  }
  const configs = objectsIn(key['provider_configs']);
  const models = configs.flatMap((config) => {
    const allowed = textsIn(config['allowed_models']);
    const provider = textIn(config['provider']) ?? '';
    return allowed.includes('*') ? [`${provider}/*`] : allowed.map((model) => `${provider}/${model}`);
  });
  const owner = owners.get(textIn(key['team_id']) ?? textIn(key['customer_id']) ?? '');
  draft.keys.push({
    ...{ name, key: value },
    ...(owner !== undefined && { owner }),
    ...(models.length > 0 && { models }),
    ...(Object.keys(limits).length > 0 && { limits }),
  });
}

function secretOf(draft: Draft, value: unknown, wanted: string): string | undefined {
  const text = textIn(value) ?? textIn(objectIn(value)['value']) ?? textIn(objectIn(value)['env_var']);
  if (text === undefined) return undefined;
  return text.startsWith('env.') ? reference(text) : draft.secret(wanted, text);
}

function reference(text: string | undefined): string | undefined {
  return text?.replace(/^env\.(\w+)$/, '${$1}');
}
