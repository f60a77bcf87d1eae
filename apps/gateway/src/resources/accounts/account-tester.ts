/** One cheap call to the vendor of an account, and what its outcome means. */
import { GatewayError, type DialectName, type JsonObject } from '@model-gateway/contracts';
import {
  createUpstreamFactory,
  rowNamed,
  type Catalogue,
  type GatewayAccount,
  type ModelRow,
  type Offer,
} from '@model-gateway/core';
import { createUntrustedFetcher, createUpstreamPools } from '@model-gateway/provider-kit';
import { adapters } from '../../adapters.ts';

/** How it went. */
export interface Verdict {
  readonly ok: boolean;
  /** In one word, for programs. */
  readonly finding:
    | 'works'
    | 'reached'
    | 'off'
    | 'wrong-key'
    | 'wrong-base-url'
    | 'missing-v1'
    | 'wrong-model'
    | 'no-route'
    | 'rate-limited'
    | 'failed';
  /** In a sentence, with what to do. */
  readonly message: string;
  readonly status?: number;
}

export interface AccountTester extends AsyncDisposable {
  /** One cheap call to the vendor of the account, by `model` or by a model that leads to it. */
  test(account: GatewayAccount, model?: string): Promise<Verdict>;
}

/** Makes what asks vendors; it holds connections until it is disposed of. */
export function createAccountTester(catalogue: Catalogue, now: () => number): AccountTester {
  const pools = createUpstreamPools();
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  const ask = async (offer: Offer, kind: ModelRow['kind']): Promise<void> => {
    const { adapter, upstream } = createUpstreamFactory({ adapters, pools, untrustedFetcher, now }).openOffer(offer);
    const [dialect] = offer.dialects;
    const isChat = kind === 'chat' && adapter.chat !== undefined && dialect !== undefined;
    if (!isChat) {
      await upstream.send({ method: 'GET', path: '/' });
      return;
    }
    const body = Buffer.from(JSON.stringify({ ...offer.bodyFields, ...smallest(dialect, offer) }));
    const { settings } = offer.account;
    const call = {
      dialect,
      purpose: 'generate',
      model: offer.model,
      stream: false,
      body,
      headers: {},
      settings,
    } as const;
    await upstream.send(adapter.chat.request(call));
  };
  return {
    test: (account, model) => judge({ catalogue, account, model, ask }),
    async [Symbol.asyncDispose]() {
      await untrustedFetcher.close();
      await pools.close();
    },
  };
}

interface Judging {
  readonly catalogue: Catalogue;
  readonly account: GatewayAccount;
  readonly model: string | undefined;
  readonly ask: (offer: Offer, kind: ModelRow['kind']) => Promise<void>;
}

async function judge({ catalogue, account, model, ask }: Judging): Promise<Verdict> {
  if (!account.on) {
    const empty = Object.entries(account.credentials).flatMap(([credential, value]) =>
      value === '' ? [credential] : [],
    );
    const what =
      empty.length === 0
        ? 'its credentials are not complete'
        : `${empty.join(' and ')} ${empty.length === 1 ? 'is' : 'are'} empty`;
    return {
      ok: false,
      finding: 'off',
      message: `it is off: ${what}; set the variable that the configuration names there`,
    };
  }
  const route = routeTo(catalogue, account, model);
  if (route === undefined) {
    const message =
      model === undefined
        ? 'no route: no model of the catalogue leads to it; add a row whose offers name it, or try one with --model'
        : `no route: it has no offer to learn the wire from for '${model}'; add a row whose offers name the account`;
    return { ok: false, finding: 'no-route', message };
  }
  const { offer, kind } = route;
  const error = await outcome(() => ask(offer, kind));
  if (error === undefined)
    return { ok: true, finding: 'works', message: `works: the vendor answered for ${offer.model}` };
  if (mayLackVersion(error, account)) {
    // The vendor's path, by OpenAI's wire.
    // eslint-disable-next-line no-restricted-syntax
    const versioned = { ...offer, account: { ...account, baseUrl: `${account.baseUrl}/v1` } };
    const again = await outcome(() => ask(versioned, kind));
    if (again === undefined || again.code === 'upstream_rejected_key' || again.code === 'upstream_rate_limited') {
      const message = `the base URL lacks /v1: write base_url: '${account.baseUrl}/v1'`;
      return { ok: false, finding: 'missing-v1', message };
    }
  }
  return explained(error, offer, kind);
}

/** A chat offer of the account before others; with --model that of the row, or the vendor's own name by the account's usual wire. */
function routeTo(
  catalogue: Catalogue,
  account: GatewayAccount,
  model: string | undefined,
): { readonly offer: Offer; readonly kind: ModelRow['kind'] } | undefined {
  const routesOf = (row: ModelRow) =>
    row.offers.filter((offer) => offer.account.id === account.id).map((offer) => ({ offer, kind: row.kind }));
  const named = model === undefined ? undefined : rowNamed(catalogue, model);
  const [own] = named === undefined ? [] : routesOf(named);
  if (own !== undefined) return own;
  const all = [...catalogue.models.values()].flatMap(routesOf);
  const usual = all.find(({ kind, offer }) => kind === 'chat' && (model !== undefined || !offer.model.includes('*')));
  const found = usual ?? all[0];
  if (model === undefined || found === undefined) return found;
  return { ...found, offer: { ...found.offer, model } };
}

/** About the cheapest question there is. */
function smallest(dialect: DialectName, { model, quirks }: Offer): JsonObject {
  const messages = [{ role: 'user', content: 'Say yes.' }];
  switch (dialect) {
    case 'openai-chat': {
      const cap = typeof quirks['max_tokens_field'] === 'string' ? quirks['max_tokens_field'] : 'max_tokens';
      return { model, messages, [cap]: 16 };
    }
    case 'openai-responses':
      return { model, input: 'Say yes.', max_output_tokens: 16 };
    case 'openai-completions':
      return { model, prompt: 'Say yes.', max_tokens: 16 };
    case 'anthropic-messages':
      return { model, messages, max_tokens: 16 };
    case 'gemini-generate':
      return { contents: [{ role: 'user', parts: [{ text: 'Say yes.' }] }], generationConfig: { maxOutputTokens: 16 } };
  }
}

async function outcome(call: () => Promise<void>): Promise<GatewayError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

/** A path that nobody serves, below an address without a version in it. */
function mayLackVersion({ code, details }: GatewayError, { baseUrl }: GatewayAccount): boolean {
  const isPath = details.vendorStatus === 404 || details.vendorStatus === 405 || code === 'upstream_malformed';
  return isPath && !/\/v\d/.test(new URL(baseUrl).pathname);
}

function explained(error: GatewayError, { account, model }: Offer, kind: ModelRow['kind']): Verdict {
  const { code, details, message } = error;
  const { vendorStatus: status, vendorWords } = details;
  const words = vendorWords ?? message;
  const at = status === undefined ? {} : { status };
  const { host } = new URL(account.baseUrl);
  if (code === 'upstream_rejected_key') {
    return {
      ok: false,
      finding: 'wrong-key',
      message: `wrong key: the vendor refused the credentials (${status ?? ''}: ${words})`,
      ...at,
    };
  }
  const transport = transportWords(error, host);
  if (transport !== undefined) return { ok: false, finding: 'wrong-base-url', message: transport };
  if (kind !== 'chat' && status !== undefined && status < 500) {
    const said =
      'the address answers and did not refuse the key; this vendor has no free call, so the first request will show the rest';
    return { ok: true, finding: 'reached', message: said, ...at };
  }
  if (code === 'upstream_rejected_model') {
    return {
      ok: false,
      finding: 'wrong-model',
      message: `key and address work, but the vendor has no model '${model}' for it (${words})`,
      ...at,
    };
  }
  if (code === 'upstream_rate_limited') {
    return {
      ok: false,
      finding: 'rate-limited',
      message: `key and address work, but the vendor limits it at the moment (${words})`,
      ...at,
    };
  }
  if (code === 'upstream_malformed' || status === 404 || status === 405) {
    return {
      ok: false,
      finding: 'wrong-base-url',
      message: `wrong base URL: ${host} answers, but not as this vendor does (${words}); see base_url`,
      ...at,
    };
  }
  return { ok: false, finding: 'failed', message: `the vendor refused the call (${status ?? code}: ${words})`, ...at };
}

/** What a connection that never stood says about the address. */
function transportWords({ details, message }: GatewayError, host: string): string | undefined {
  if (details.vendorStatus !== undefined) return undefined;
  const cause = details.cause as { readonly code?: unknown } | undefined;
  switch (cause?.code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `wrong base URL: there is no host ${host}; see base_url`;
    case 'ECONNREFUSED':
      return `wrong base URL: nothing listens at ${host}; see base_url`;
    case undefined:
      return undefined;
    default:
      return `wrong base URL, or no way there: ${message} (${String(cause?.code)} at ${host})`;
  }
}
