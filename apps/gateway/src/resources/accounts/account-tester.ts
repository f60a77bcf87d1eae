/** One cheap call to the vendor of an account, and what its outcome means. */
import { GatewayError, TEXT_COMPLETIONS, type DialectName, type JsonObject } from '@model-gateway/contracts';
import {
  createUpstreamFactory,
  rowNamed,
  type Catalogue,
  type GatewayAccount,
  type ModelRow,
  type Offer,
} from '@model-gateway/core';
import { createUntrustedFetcher, createUpstreamPools, type ListedModel } from '@model-gateway/provider-kit';
import { dialects } from '@model-gateway/translate';
import { adapters, loadAdapters, vendors } from '../../adapters.ts';

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
  /** The same with every key and region of an account: the first that does not work is told, by its number. */
  testAll(members: readonly GatewayAccount[], model?: string): Promise<Verdict>;
  /** `testAll` for an account that is not kept yet, and the models that its vendor lists. An account without models in the catalogue is tested by that list. */
  testDraft(members: readonly GatewayAccount[], model?: string): Promise<DraftVerdict>;
  /** The models that the account's vendor lists; undefined where it lists none. Throws what the vendor refuses. */
  list(account: GatewayAccount): Promise<readonly ListedModel[] | undefined>;
}

interface DraftVerdict {
  readonly verdict: Verdict;
  /** Undefined where the vendor lists none, or did not now. */
  readonly models: readonly ListedModel[] | undefined;
}

/** Makes what asks vendors; it holds connections until it is disposed of. */
export function createAccountTester(catalogue: Catalogue, now: () => number): AccountTester {
  const pools = createUpstreamPools();
  const untrustedFetcher = createUntrustedFetcher({ allowPrivate: [] });
  const factory = createUpstreamFactory({ adapters, pools, untrustedFetcher, now });
  const listOf = async (account: GatewayAccount): Promise<readonly ListedModel[] | undefined> => {
    await loadAdapters([account]);
    const { adapter, upstream } = factory.openAccount(account, '');
    return adapter.modelList?.list(upstream);
  };
  const list = async (account: GatewayAccount): Promise<readonly ListedModel[]> => (await listOf(account)) ?? [];
  const ask = async (offer: Offer, kind: ModelRow['kind']): Promise<void> => {
    await loadAdapters([offer.account]);
    const { adapter, upstream } = factory.openOffer(offer);
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
    test: (account, model) => judge({ catalogue, account, model, ask, list }),
    testAll: async (members, model) => {
      const verdicts = await Promise.all(
        members.map(async (account) => ({
          account,
          verdict: await judge({ catalogue, account, model, ask, list }),
        })),
      );
      return verdictOfAll(verdicts);
    },
    testDraft: async (members, model) => {
      const drafts = await Promise.all(
        members.map(async (account) => ({
          account,
          ...(await judgeDraft({ catalogue, account, model, ask, list })),
        })),
      );
      return { verdict: verdictOfAll(drafts), models: drafts.find(({ models }) => models !== undefined)?.models };
    },
    list: listOf,
    async [Symbol.asyncDispose]() {
      await untrustedFetcher.close();
      await pools.close();
    },
  };
}

/** Of an account with several keys or regions: the first that does not work is told, by its number. */
function verdictOfAll(verdicts: readonly { readonly account: GatewayAccount; readonly verdict: Verdict }[]): Verdict {
  const told = verdicts.find(({ verdict }) => !verdict.ok) ?? verdicts[0];
  if (told === undefined) throw new Error('an account without any key');
  if (verdicts.length === 1) return told.verdict;
  const { verdict, account } = told;
  const which = verdict.ok ? `all ${verdicts.length}` : memberWords(account, verdicts.length);
  return { ...verdict, message: `${which}: ${verdict.message}` };
}

/** `key 2 of 3`, `key 1 of 2 in eu-central-1` */
function memberWords({ member }: GatewayAccount, count: number): string {
  const region = member?.region === undefined ? '' : ` in ${member.region}`;
  return `key ${member?.number ?? 1} of ${count}${region}`;
}

interface Judging {
  readonly catalogue: Catalogue;
  readonly account: GatewayAccount;
  readonly model: string | undefined;
  readonly ask: (offer: Offer, kind: ModelRow['kind']) => Promise<void>;
  readonly list: (account: GatewayAccount) => Promise<readonly ListedModel[]>;
}

interface Route {
  readonly offer: Offer;
  readonly kind: ModelRow['kind'];
}

/** What a vendor says of its models: neither member where it cannot be asked. */
interface Listing {
  readonly models?: readonly ListedModel[];
  readonly error?: GatewayError;
}

async function judge(judging: Judging): Promise<Verdict> {
  const { catalogue, account, model } = judging;
  if (!account.on) return offVerdict(account);
  const route = routeTo(catalogue, account, model);
  if (route !== undefined && isWild(route.offer)) return judgeListing(judging, route.offer, await listingOf(judging));
  if (route !== undefined) return judgeOffer(route.offer, judging, route.kind);
  const message =
    model === undefined
      ? 'no route: no model of the catalogue leads to it; add a row whose offers name it, or try one with --model'
      : `no route: it has no offer to learn the wire from for '${model}'; add a row whose offers name the account`;
  return { ok: false, finding: 'no-route', message };
}

async function judgeDraft(judging: Judging): Promise<DraftVerdict> {
  const { catalogue, account, model } = judging;
  if (!account.on) return { verdict: offVerdict(account), models: undefined };
  const listing = await listingOf(judging);
  const route = routeTo(catalogue, account, model) ?? routeAlike(judging);
  const [dialect] = vendors.get(account.vendor)?.dialects ?? [];
  // Nobody has said what the account offers.
  const dialects = dialect === undefined ? [] : [dialect];
  const usual = { account, model: model ?? '*', dialects, priority: 1, weight: 1, quirks: {} };
  const offer = route?.offer ?? usual;
  const verdict = await (isWild(offer)
    ? judgeListing(judging, offer, listing)
    : judgeOffer(offer, judging, route?.kind ?? 'chat'));
  return { verdict, models: listing.models };
}

/** A chat offer of another account of the same maker, to be asked of this one: a list of models may be open to anybody. */
function routeAlike({ catalogue, account, model }: Judging): Route | undefined {
  const { vendor, provider, settings } = account;
  // Behind a compatible wire each maker has models of its own.
  const isAnybody = provider === undefined && vendors.get(vendor)?.declares.settings?.['provider'] !== undefined;
  if (model !== undefined || isAnybody) return undefined;
  const isAlike = ({ account: other, ...offer }: Offer): boolean =>
    !offer.model.includes('*') &&
    other.vendor === vendor &&
    other.provider === provider &&
    other.settings['wire'] === settings['wire'];
  const rows = [...catalogue.models.values()].filter(({ kind }) => kind === 'chat');
  const found = rows.flatMap(({ offers }) => offers).find(isAlike);
  return found === undefined ? undefined : { offer: { ...found, account }, kind: 'chat' };
}

/** An offer that stands for whatever its vendor has. */
function isWild({ model }: Offer): boolean {
  return model.includes('*');
}

async function listingOf({ account, list }: Judging): Promise<Listing> {
  if (vendors.get(account.vendor)?.listsModels !== true) return {};
  let models: readonly ListedModel[] = [];
  const error = await outcome(async () => {
    models = await list(account);
  });
  return error === undefined ? { models } : { error };
}

/** Where no model is named, what the vendor lists says whether it answers. */
async function judgeListing(judging: Judging, offer: Offer, { models, error }: Listing): Promise<Verdict> {
  if (models !== undefined) {
    const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
    return { ok: true, finding: 'works', message: `works: the server lists ${count}` };
  }
  if (error === undefined) return judgeOffer(offer, judging, 'chat');
  const listAt = async (at: GatewayAccount): Promise<void> => {
    await judging.list(at);
  };
  return (await lacksVersion(error, judging.account, listAt)) ?? explained(error, offer, 'chat');
}

async function judgeOffer(offer: Offer, { ask }: Pick<Judging, 'ask'>, kind: ModelRow['kind']): Promise<Verdict> {
  const { account } = offer;
  const askAt = (at: GatewayAccount): Promise<void> => ask({ ...offer, account: at }, kind);
  const error = await outcome(() => askAt(account));
  if (error === undefined)
    return { ok: true, finding: 'works', message: `works: the vendor answered for ${offer.model}` };
  return (await lacksVersion(error, account, askAt)) ?? explained(error, offer, kind);
}

function offVerdict({ offReason: why = 'its credentials are not complete' }: GatewayAccount): Verdict {
  return { ok: false, finding: 'off', message: `it is off: ${why}` };
}

/** The verdict of a base URL that works with /v1 behind it; undefined for any other. */
async function lacksVersion(
  error: GatewayError,
  account: GatewayAccount,
  askAt: (account: GatewayAccount) => Promise<void>,
): Promise<Verdict | undefined> {
  if (!mayLackVersion(error, account)) return undefined;
  // The vendor's path, by OpenAI's wire.
  // oxlint-disable-next-line eslint-core/no-own-paths
  const versioned = { ...account, baseUrl: `${account.baseUrl}/v1` };
  const again = await outcome(() => askAt(versioned));
  const isThere =
    again === undefined || again.code === 'upstream_rejected_key' || again.code === 'upstream_rate_limited';
  if (!isThere) return undefined;
  const message = `the base URL lacks /v1: write base_url: '${account.baseUrl}/v1'`;
  return { ok: false, finding: 'missing-v1', message };
}

/** A chat offer of the account before others; with --model that of the row, or the vendor's own name by the account's usual wire. */
function routeTo(catalogue: Catalogue, account: GatewayAccount, model: string | undefined): Route | undefined {
  const routesOf = (row: ModelRow) =>
    row.offers.filter((offer) => offer.account.id === account.id).map((offer) => ({ offer, kind: row.kind }));
  const named = model === undefined ? undefined : rowNamed(catalogue, model);
  const [own] = named === undefined ? [] : routesOf(named);
  if (own !== undefined) return own;
  const all = [...catalogue.models.values()].flatMap(routesOf);
  const usual = all.find(({ kind, offer }) => kind === 'chat' && (model !== undefined || !isWild(offer)));
  const found = usual ?? all[0];
  if (model === undefined || found === undefined) return found;
  return { ...found, offer: { ...found.offer, model } };
}

/** About the cheapest question there is, as the dialect says it. */
function smallest(dialect: DialectName, { model, quirks }: Offer): JsonObject {
  const asked = dialects[TEXT_COMPLETIONS].decodeRequest({ model, prompt: 'Say yes.', max_tokens: 16 });
  return dialects[dialect].encodeRequest(asked, { model, quirks, provider: '' }).body;
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
