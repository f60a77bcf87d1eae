/** Finds the model servers of a machine: which server answers at an address, by its own answers, and what it has (docs/wire/local-servers.md#which-server). */
import type { Json, JsonObject } from '@model-gateway/contracts';
import { MODEL_KINDS } from '@model-gateway/core';
import {
  createUntrustedFetcher,
  createUpstreamPools,
  listAt,
  numberAt,
  openUpstream,
  textAt,
  type ListedModel,
  type ProviderAdapter,
  type Upstream,
} from '@model-gateway/provider-kit';
import { adapterOf } from '../../adapters.ts';
import type { ServerName } from '../../commands/server-names.ts';
import { kindOfListed } from './drafts.ts';

export interface FoundServer {
  /** `server`: something else with OpenAI's API. */
  readonly name: ServerName | 'server';
  /** As an account has it. */
  readonly baseUrl: string;
  readonly models: readonly ListedModel[];
}

/** The usual ports, and the servers that people look for there. */
const PORTS: readonly (readonly [port: number, servers: readonly ServerName[]])[] = [
  [11_434, ['ollama']],
  [1234, ['lmstudio']],
  [8000, ['vllm']],
  [8080, ['llamacpp', 'localai', 'tgi']],
  [30_000, ['sglang']],
  [3000, ['tgi']],
  [9997, ['xinference']],
];

/** Where a server of this name is usually, or any of them. */
export function usualAddresses(name?: ServerName): readonly string[] {
  return PORTS.filter(([, servers]) => name === undefined || servers.includes(name)).map(
    ([port]) => `http://127.0.0.1:${port}`,
  );
}

/** Where OpenAI's API is below the root of a server. */
// The paths of servers, which are not ours to match.
// oxlint-disable-next-line eslint-core/no-own-paths
const OPENAI = '/v1';
/** What people copy behind the root. */
// oxlint-disable-next-line eslint-core/no-own-paths
const TAIL = /\/(?:v1|api)$/;

/** Short: what is on this machine or beside it answers at once. */
const DEADLINES = { connect: 2, firstByte: 5, idle: 5 };

/** The servers at these addresses, in their order; addresses where none answers are left out. */
export async function discover(addresses: readonly string[], now: () => number): Promise<readonly FoundServer[]> {
  const pools = createUpstreamPools();
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  const adapter = await adapterOf('ollama');
  if (adapter === undefined) throw new Error('there is no adapter of Ollama');
  const upstreamAt = (baseUrl: string): Upstream => {
    const account = { id: 0, name: 'discovery', vendor: adapter.id, baseUrl, credentials: {}, settings: {} };
    return openUpstream({
      ...{ account, adapter, model: '', quirks: {}, deadlines: DEADLINES },
      ...{ pools, untrustedFetcher, now },
    });
  };
  try {
    const found = await Promise.all(
      addresses.map((address) => serverAt(upstreamAt(rootOf(address)), rootOf(address), adapter)),
    );
    return found.filter((server) => server !== undefined);
  } finally {
    await untrustedFetcher.close();
    await pools.close();
  }
}

function rootOf(address: string): string {
  return address.replace(/\/+$/, '').replace(TAIL, '');
}

/** What a server says at its root, each undefined where it says nothing of the kind. */
interface Answers {
  readonly text: string | undefined;
  readonly models: Json | undefined;
  readonly props: Json | undefined;
  readonly lmStudio: Json | undefined;
  readonly info: Json | undefined;
  readonly system: Json | undefined;
}

async function serverAt(
  upstream: Upstream,
  root: string,
  ollama: Pick<ProviderAdapter, 'modelList'>,
): Promise<FoundServer | undefined> {
  const get = async (path: string) => upstream.send({ method: 'GET', path }).catch(() => undefined);
  const json = async (path: string): Promise<Json | undefined> => (await get(path))?.json;
  const [home, models, props, lmStudio, info, system] = await Promise.all([
    get('/'),
    json(`${OPENAI}/models`),
    json('/props'),
    json('/api/v0/models'),
    json('/info'),
    json('/system'),
  ]);
  const text = home === undefined ? undefined : Buffer.from(home.body).toString('utf8').trim();
  const answers: Answers = { text, models, props, lmStudio, info, system };
  const name = nameOf(answers);
  if (name === undefined) return undefined;
  if (name === 'ollama') {
    // One that answers badly hides none of the others.
    const listed = await ollama.modelList?.list(upstream).catch(() => []);
    return { name, baseUrl: root, models: listed ?? [] };
  }
  return { name, baseUrl: `${root}${OPENAI}`, models: modelsIn(name, answers) };
}

/** Servers that speak another one’s API, too, are looked for before it. */
function nameOf({ text, models, lmStudio, info, system }: Answers): FoundServer['name'] | undefined {
  if (listAt(system, 'loaded_models').length > 0 || listAt(system, 'backends').length > 0) return 'localai';
  if (listAt(lmStudio, 'data').some((model) => numberAt(model, 'max_context_length') !== undefined)) return 'lmstudio';
  if (textAt(info, 'model_id') !== undefined && numberAt(info, 'max_total_tokens') !== undefined) return 'tgi';
  const owners = new Set(listAt(models, 'data').map((model) => textAt(model, 'owned_by')));
  for (const owner of ['vllm', 'sglang', 'llamacpp', 'xinference'] as const) if (owners.has(owner)) return owner;
  if (text === 'Ollama is running') return 'ollama';
  return listAt(models, 'data').length > 0 ? 'server' : undefined;
}

function modelsIn(name: FoundServer['name'], { models, props, lmStudio, info }: Answers): readonly ListedModel[] {
  const listed = listAt(name === 'lmstudio' ? lmStudio : models, 'data');
  return listed.flatMap((model): ListedModel[] => {
    const id = textAt(model, 'id');
    if (id === undefined) return [];
    const context = contextOf(name, model, { props, info });
    return [{ id, ...kindOf(model), ...(context !== undefined && { maxInputTokens: context }) }];
  });
}

/** What is loaded goes before what the model was trained for: prompts must fit into that. */
function contextOf(
  name: FoundServer['name'],
  model: Json,
  { props, info }: Pick<Answers, 'props' | 'info'>,
): number | undefined {
  switch (name) {
    case 'lmstudio':
      return numberAt(model, 'loaded_context_length') ?? numberAt(model, 'max_context_length');
    case 'llamacpp':
      return (
        numberAt(props, 'default_generation_settings', 'n_ctx') ??
        numberAt(model, 'meta', 'n_ctx') ??
        numberAt(model, 'meta', 'n_ctx_train')
      );
    case 'tgi':
      return numberAt(info, 'max_input_tokens') ?? numberAt(info, 'max_input_length');
    default:
      return numberAt(model, 'max_model_len') ?? numberAt(model, 'context_length');
  }
}

/** LM Studio’s `type` and Xinference’s `model_type`. */
function kindOf(model: Json): Pick<ListedModel, 'kind' | 'inputs'> {
  const type = textAt(model, 'type') ?? textAt(model, 'model_type');
  if (type === 'vlm') return { kind: 'chat', inputs: ['text', 'image'] };
  const kind = MODEL_KINDS.find((each) => type === each || type === `${each}s`);
  return kind === undefined ? {} : { kind };
}

/** Rows of the configuration: accounts and models, at no price. */
export interface DiscoveredRows {
  readonly accounts: readonly { readonly name: string; readonly vendor: string; readonly base_url: string }[];
  readonly models: readonly (JsonObject & { readonly code: string })[];
}

/** `context` is the size that Ollama gives every chat model, in tokens; what each was trained for bounds it. */
export function rowsOf(servers: readonly FoundServer[], context?: number): DiscoveredRows {
  const accounts: DiscoveredRows['accounts'][number][] = [];
  const models: DiscoveredRows['models'][number][] = [];
  for (const server of servers) {
    const taken = accounts.filter(({ name }) => name.replace(/-\d+$/, '') === server.name).length;
    const account = taken === 0 ? server.name : `${server.name}-${taken + 1}`;
    accounts.push({
      name: account,
      vendor: server.name === 'ollama' ? 'ollama' : 'openai-compatible',
      base_url: server.baseUrl,
    });
    for (const model of server.models) models.push(modelRow(account, server, model, context));
  }
  return { accounts, models };
}

function modelRow(
  account: string,
  { name }: FoundServer,
  listed: ListedModel,
  context: number | undefined,
): DiscoveredRows['models'][number] {
  const { id, inputs, maxInputTokens, thinks } = listed;
  const kind = kindOfListed(id, listed);
  const isSized = name === 'ollama' && kind === 'chat' && context !== undefined;
  const size = isSized ? Math.min(context, maxInputTokens ?? context) : maxInputTokens;
  const limits = {
    ...(size !== undefined && { max_input_tokens: size }),
    ...(inputs !== undefined && { inputs: [...inputs] }),
  };
  const isChat = kind === 'chat';
  return {
    code: `${account}/${id}`,
    kind,
    offers: [
      {
        account,
        model: id,
        ...(isChat && { dialect: 'openai-chat' }),
        ...(isChat && thinks === false && { quirks: { thinking: 'none' } }),
      },
    ],
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(isSized && { body_fields: { num_ctx: size ?? context } }),
    price: 'free',
  };
}
