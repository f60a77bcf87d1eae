/**
 * An adapter for everyone who speaks somebody's chat dialect: DashScope's compatible mode, Ark, xAI, DeepSeek, vLLM, Ollama, …
 */
import { GatewayError, TEXT_COMPLETIONS, type DeclaredFields, type DialectName } from '@model-gateway/contracts';
import type { Account, ChatAdapter, ChatCall, SignedHeaders, UpstreamRequest } from './adapter.ts';
import type { ProviderAdapter } from './provider-adapter.ts';
import { readDialectFault, type FaultWords } from './dialect-fault.ts';

const DEFAULT_PATHS = {
  'openai-chat': '/chat/completions',
  'openai-responses': '/responses',
  'anthropic-messages': '/messages',
  'openai-completions': '/completions',
} as const;

/** The oldest version every server of the dialect knows. */
export const ANTHROPIC_VERSION = '2023-06-01';

export interface CompatibleOptions {
  readonly id: string;
  /** Dialects spoken, each with its path below the account's base URL (`true`: the usual one). Default: openai-chat. */
  readonly dialects?: Readonly<Partial<Record<keyof typeof DEFAULT_PATHS, string | true>>>;
  /** The vendor's own error words, lower case, beside those of the dialects. */
  readonly faultWords?: FaultWords;
}

/** An adapter with chat alone: bearer key, paths below `base_url`, faults of the dialect. Spread it to add images, videos or speech. */
export function openAiCompatible(options: CompatibleOptions): ProviderAdapter & { readonly chat: ChatAdapter } {
  return {
    id: options.id,
    chat: compatibleChat(options.dialects ?? { 'openai-chat': true }),
    authorize: bearer,
    readFault: (reply) => readDialectFault(reply, options.faultWords),
  };
}

/** The chat part alone, for a vendor that signs and refuses in its own way. */
export function compatibleChat(dialects: NonNullable<CompatibleOptions['dialects']>): ChatAdapter {
  const paths = new Map<DialectName, string>();
  for (const dialect of Object.keys(DEFAULT_PATHS) as (keyof typeof DEFAULT_PATHS)[]) {
    const path = dialects[dialect];
    if (path !== undefined) paths.set(dialect, path === true ? DEFAULT_PATHS[dialect] : path);
  }
  return {
    dialects: [...paths.keys()],
    request(call) {
      const path = paths.get(call.dialect);
      if (path === undefined) throw new GatewayError('internal', `this vendor does not speak ${call.dialect}`);
      return {
        method: 'POST',
        path: pathOf(call, path),
        headers: { 'content-type': 'application/json', ...dialectHeaders(call) },
        body: call.body,
      } satisfies UpstreamRequest;
    },
  };
}

/** `authorization: Bearer` from the account's `api_key`; servers of Anthropic's dialect read either header. Pure. */
export function bearer(
  request: { readonly headers: Readonly<Record<string, string>> },
  account: Pick<Account, 'credentials'>,
): SignedHeaders {
  const key = account.credentials['api_key'] ?? '';
  return {
    authorization: `Bearer ${key}`,
    ...(request.headers['anthropic-version'] !== undefined && { 'x-api-key': key }),
  };
}

/** Below the base address, or beside it: vendors that fill in the middle of a text have that elsewhere than chat. */
export const COMPLETIONS_PATH: DeclaredFields = {
  completions_path: {
    type: 'text',
    about: 'Where text completions are asked for, below the base address: `/completions` unless said.',
  },
};

function pathOf({ purpose, dialect, settings }: ChatCall, path: string): string {
  if (dialect === TEXT_COMPLETIONS) return settings['completions_path'] ?? path;
  if (purpose === 'count') return countPath(path, dialect);
  return purpose === 'compact' ? `${path}/compact` : path;
}

function countPath(path: string, dialect: DialectName): string {
  if (dialect === 'anthropic-messages') return `${path}/count_tokens`;
  if (dialect === 'openai-responses') return `${path}/input_tokens`;
  throw new GatewayError('not_implemented', 'this model’s vendor has no way to count tokens');
}

/** As they came. The version of Anthropic's wire belongs to the body: the caller's own, else the account's, else the oldest. */
function dialectHeaders({ dialect, headers, settings }: ChatCall): Readonly<Record<string, string>> {
  if (dialect !== 'anthropic-messages') return headers;
  return { 'anthropic-version': settings['anthropic_version'] ?? ANTHROPIC_VERSION, ...headers };
}
