/** A deployment of LiteLLM's `model_list`: which account and which vendor's model it is. */
import type { JsonObject } from '@model-gateway/contracts';
import { numberIn, objectIn, openAiRoot, textIn, type AccountRow, type Draft } from './draft.ts';
import type { Deployment, KnownModels } from './known-models.ts';

/** The account of the built-in catalogue for the word before the slash of `litellm_params.model`. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  openai: 'openai',
  'text-completion-openai': 'openai',
  azure: 'azure',
  azure_text: 'azure',
  anthropic: 'anthropic',
  gemini: 'gemini',
  vertex_ai: 'vertex-ai',
  vertex_ai_beta: 'vertex-ai',
  bedrock: 'bedrock',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  voyage: 'voyage',
  jina_ai: 'jina',
  stability: 'stability',
  recraft: 'recraft',
  groq: 'groq',
  mistral: 'mistral',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  deepseek: 'deepseek',
  xai: 'xai',
  perplexity: 'perplexity',
  cerebras: 'cerebras',
  nebius: 'nebius',
  deepinfra: 'deepinfra',
  novita: 'novita',
  nvidia_nim: 'nvidia',
  huggingface: 'huggingface',
  cloudflare: 'cloudflare',
  github: 'github-models',
  databricks: 'databricks',
  snowflake: 'snowflake',
  moonshot: 'moonshot',
  zai: 'zai',
  dashscope: 'dashscope-intl',
  volcengine: 'ark',
  openrouter: 'openrouter',
};
/** Servers of one's own. */
const SERVERS = new Set([
  ...['ollama', 'ollama_chat', 'hosted_vllm', 'vllm', 'lm_studio', 'xinference', 'llamafile', 'openai_like'],
  'custom_openai',
]);

/** Prices in US dollars for one token, by their names here. */
export const PRICES: Readonly<Record<string, string>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cached_input',
  cache_creation_input_token_cost: 'cache_write',
  output_cost_per_reasoning_token: 'reasoning',
  input_cost_per_audio_token: 'input_audio',
  output_cost_per_audio_token: 'output_audio',
};
/** Members of a deployment that are read; others are told. */
const READ_PARAMS = new Set([
  ...['model', 'api_key', 'api_base', 'base_url', 'api_version', 'custom_llm_provider'],
  ...['vertex_project', 'vertex_location', 'vertex_credentials'],
  ...['aws_region_name', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token', 'aws_profile_name'],
  ...['rpm', 'tpm', 'weight', 'order', 'timeout', 'stream_timeout', 'extra_headers', 'max_parallel_requests'],
  ...Object.keys(PRICES),
]);
/** Undefined for what the gateway cannot ask; a note says why. */
export function deploymentOf(
  draft: Draft,
  known: KnownModels,
  place: string,
  params: JsonObject,
): Deployment | undefined {
  const written = textIn(params['model']) ?? '';
  const [before = '', ...rest] = written.split('/');
  const named = textIn(params['custom_llm_provider']);
  const provider = named ?? (rest.length > 0 ? before : undefined);
  const isKnown = provider !== undefined && (Object.hasOwn(ACCOUNTS, provider) || SERVERS.has(provider));
  let model = isKnown && before === provider ? rest.join('/') : written;
  const url = readReference(textIn(params['api_base']) ?? textIn(params['base_url']));
  const base = accountIn(known, { written, provider, isNamed: named !== undefined });
  if (base === undefined) {
    draft.note(
      place,
      `is left out: the gateway has no vendor ${provider ?? written}. A server with OpenAI's wire is an account of the vendor openai-compatible`,
    );
    return undefined;
  }
  const isElsewhere = base === 'openai' && url !== undefined && !/\bapi\.openai\.com\b/.test(url);
  tellUnread(draft, place, params, isElsewhere ? 'local' : base);
  if (provider !== undefined && SERVERS.has(provider)) {
    const name = provider.replace(/_chat$/, '').replaceAll('_', '-');
    const root = name === 'ollama' ? openAiRoot(url ?? 'http://127.0.0.1:11434') : (url ?? '');
    return { base, row: serverRow(draft, params, root), name, model, ...orderOf(params) };
  }
  if (isElsewhere)
    return { base: 'local', row: serverRow(draft, params, url), name: hostOf(url), model, ...orderOf(params) };
  if (provider === 'bedrock') model = model.replace(/^(?:converse|invoke|converse_like)\//, '');
  return { base, row: rowOf(draft, { place, params, base, url }), name: base, model, ...orderOf(params) };
}

interface Written {
  readonly written: string;
  readonly provider: string | undefined;
  /** Whether the provider has a member of its own: nobody else is guessed then, who would be sent its key. */
  readonly isNamed: boolean;
}

function accountIn(known: KnownModels, { written, provider, isNamed }: Written): string | undefined {
  if (provider !== undefined && SERVERS.has(provider)) return 'local';
  if (provider !== undefined && Object.hasOwn(ACCOUNTS, provider)) return ACCOUNTS[provider];
  return isNamed ? undefined : likelyAccount(known, written);
}

/** Of a model whose vendor nobody named. */
function likelyAccount(known: KnownModels, model: string): string | undefined {
  const account = known.accountOf(model);
  if (account !== undefined || model.includes('/')) return account;
  return model.startsWith('claude') ? 'anthropic' : model.startsWith('gemini') ? 'gemini' : 'openai';
}

function orderOf(params: JsonObject): Pick<Deployment, 'priority' | 'weight'> {
  return { priority: numberIn(params['order']), weight: numberIn(params['weight']) };
}

function serverRow(draft: Draft, params: JsonObject, url: string): Deployment['row'] {
  return {
    base_url: url,
    // Any text where the server asks for none: an account without a key is off.
    credentials: { api_key: keyOf(draft, params, 'LOCAL_API_KEY') ?? 'none' },
    settings: {},
    ...moreOf(draft, params),
  };
}

function rowOf(
  draft: Draft,
  { place, params, base, url }: { place: string; params: JsonObject; base: string; url: string | undefined },
): Deployment['row'] {
  const key = keyOf(draft, params, `${base}_API_KEY`);
  const more = moreOf(draft, params);
  if (base === 'azure') {
    const version = readReference(textIn(params['api_version']));
    return {
      ...(url !== undefined && { base_url: url.replace(/\/openai(?:\/.*)?$/, '') }),
      ...(key !== undefined && { credentials: { api_key: key } }),
      ...(url !== undefined && version !== undefined && { settings: { api_version: version } }),
      ...more,
    };
  }
  if (base === 'bedrock') return { ...bedrockRow(draft, params), ...more };
  if (base === 'vertex-ai') {
    const project = readReference(textIn(params['vertex_project']));
    const file = readReference(textIn(params['vertex_credentials']));
    if (file?.startsWith('{') === true)
      draft.note(place, 'has the service account in the file: set VERTEX_CLIENT_EMAIL and VERTEX_PRIVATE_KEY from it');
    if (project === undefined) return more;
    const location = readReference(textIn(params['vertex_location'])) ?? 'global';
    const isFile = file !== undefined && !file.startsWith('{');
    const service = { client_email: '${VERTEX_CLIENT_EMAIL}', private_key: '${VERTEX_PRIVATE_KEY}' };
    return { credentials: isFile ? { credentials_file: file } : service, settings: { project, location }, ...more };
  }
  const organization = base === 'openai' ? readReference(textIn(params['organization'])) : undefined;
  return {
    ...(url !== undefined && { base_url: url }),
    ...(key !== undefined && { credentials: { api_key: key } }),
    ...(organization !== undefined && { settings: { organization } }),
    ...more,
  };
}

function bedrockRow(draft: Draft, params: JsonObject): Deployment['row'] {
  const region = readReference(textIn(params['aws_region_name']));
  const profile = textIn(params['aws_profile_name']);
  const id = secretOf(draft, params['aws_access_key_id'], 'AWS_ACCESS_KEY_ID');
  const secret = secretOf(draft, params['aws_secret_access_key'], 'AWS_SECRET_ACCESS_KEY');
  const token = secretOf(draft, params['aws_session_token'], 'AWS_SESSION_TOKEN');
  const settings = {
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    // As boto3 finds them when nothing is said.
    ...(id === undefined && profile === undefined && { credentials_from: 'environment' }),
  };
  return {
    ...(id !== undefined &&
      secret !== undefined && {
        credentials: {
          ...{ access_key_id: id, secret_access_key: secret },
          ...(token !== undefined && { session_token: token }),
        },
      }),
    settings,
  };
}

function moreOf(draft: Draft, params: JsonObject): Pick<AccountRow, 'headers' | 'timeout_seconds'> {
  const headers = objectIn(params['extra_headers']);
  // Keys of proxies stand in headers: each value is as secret as a key.
  const texts = Object.entries(headers).flatMap(([name, value]) => {
    const secret = secretOf(draft, value, `${name}_HEADER`);
    return secret === undefined ? [] : [[name, secret] as const];
  });
  const idle = numberIn(params['stream_timeout']);
  return {
    ...(texts.length > 0 && { headers: Object.fromEntries(texts) }),
    ...(idle !== undefined && { timeout_seconds: { idle } }),
  };
}

function keyOf(draft: Draft, params: JsonObject, wanted: string): string | undefined {
  return secretOf(draft, params['api_key'], wanted);
}

/** A reference to the environment as ours; a value that stands in the file is put into a variable. */
function secretOf(draft: Draft, value: unknown, wanted: string): string | undefined {
  const text = textIn(value);
  if (text === undefined) return undefined;
  return text.startsWith('os.environ/') ? readReference(text) : draft.secret(wanted, text);
}

function readReference(text: string | undefined): string | undefined {
  return text?.replace(/^os\.environ\/(\w+)$/, '${$1}');
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/:$]+)/.exec(url)?.[1] ?? 'server';
}

function tellUnread(draft: Draft, place: string, params: JsonObject, base: string): void {
  for (const name of Object.keys(params))
    if (!READ_PARAMS.has(name) && !(name === 'organization' && base === 'openai'))
      draft.note(
        `${place}.litellm_params.${name}`,
        'is not carried over; what every request shall send is body_fields of the model',
      );
}
