/** One attempt's plan: what is sent to an offer, in which dialect, and how the reply comes back. */
import { TEXT_COMPLETIONS, type DialectName, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  dialects,
  forwardRequest,
  loweredCap,
  withMissingMembers,
  type ChatDialect,
  type ChatRequest,
  type Dropped,
  type Encoded,
  type ReplyContext,
  type RequestCost,
  type Target,
} from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import type { RouteCandidate } from '../../routing/plan-route.ts';
import { type ChatBody, askedFactor } from './pricing.ts';
import { MOST_CONTINUATIONS } from './continuations.ts';
import { perObject } from '../../per-object.ts';

/** Larger bodies are written in turns. */
const LARGE_BYTES = 1024 * 1024;

/** Set when the caller's dialect and the vendor's differ. */
export interface Translation {
  readonly request: ChatRequest;
  readonly target: Target;
  readonly sent: Encoded;
  readonly context: ReplyContext;
  /** Set while a large body is not written yet: about how many bytes it will have. */
  readonly largeBytes?: number;
}

export interface Plan {
  readonly offer: Offer;
  readonly row: ModelRow;
  /** How the request came to it, where its model has routes. */
  readonly route?: string;
  readonly by?: RouteCandidate['by'];
  /** The gateway asks the vendor to keep the conversation in its prompt cache. */
  readonly keepsPrompt?: boolean;
  readonly upstreamDialect: ChatDialect;
  readonly callerDialect: ChatDialect;
  readonly bytes: Buffer;
  /** Of a forwarded body: what it says, save members at the top that were set in the bytes alone. */
  readonly json?: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly translation: Translation | undefined;
  /** Random, without prefix: for ids of the gateway's own in the answer. */
  readonly id: string;
  /** Unix seconds. */
  readonly now: number;
  /** Media this model takes only as bytes: the plan is complete when they have been fetched (`readyPlan`). */
  readonly fetch: readonly string[];
  /** What could not be carried, had to be approximated or is not served. */
  readonly dropped: readonly Dropped[];
  readonly charging: Charging;
  /** As in `ChatCall`. */
  readonly purpose?: 'compact';
  /** Set where the request names files that the vendor keeps: what to do when it says that one is gone. */
  readonly named?: { readonly inlined: Plan; forget(): Promise<void> };
}

/** What is known of an attempt's bill before it is made. */
export interface Charging {
  readonly cost: RequestCost;
  /** Bytes of the body that the cost was read from. */
  readonly bytes: number;
  /** Requests that one answer may take: more than one where the vendor may pause and is asked again. */
  readonly requests: number;
  /** What the prices of tokens are multiplied by. */
  readonly factor: number;
}

/** For `x-gateway-route`. */
export const PROMPT_CACHE = 'prompt cache: auto';

export interface PlanCall {
  readonly caller: { readonly requestId: string };
  readonly dialect: DialectName;
  readonly body: ChatBody;
  readonly model: string;
  readonly stream: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly purpose?: 'compact';
}

export interface PlanOptions {
  readonly row: ModelRow;
  /** The caller's request in the middle form; decoded once. */
  readonly request: () => ChatRequest;
  /** What the body may cost as the caller wrote it; read once. */
  readonly cost: () => RequestCost;
  readonly id: string;
  /** Unix seconds. */
  readonly now: number;
  /** Its stream is read and written anew although caller and vendor speak the same, so that another one can go on with it. */
  readonly isRewritten?: boolean;
}

/** Throws `invalid_request` when this offer cannot carry the request, or has no price for what it asks for. */
export function planFor(call: PlanCall, offer: Offer, options: PlanOptions): Plan {
  const { row, request, id, now } = options;
  const callerDialect = dialects[call.dialect];
  const upstreamDialect = dialects[wireOf(offer, call.dialect)];
  const base: PlanBase = { offer, row, upstreamDialect, callerDialect, id, now };
  const target = targetOf(row, offer);
  const isRewritten =
    upstreamDialect.name !== callerDialect.name ||
    options.isRewritten === true ||
    upstreamDialect.isRewritten?.(target) === true ||
    // What the vendor cannot fetch is put in; a body without such travels as it came.
    (target.quirks?.['media_urls'] === false &&
      hasMediaUrls(upstreamDialect, { request, target, bytes: call.body.bytes }));
  return isRewritten ? rewritten(base, call, target, options) : forwarded(base, call, target, options);
}

/** A body that goes out as it came, save the model's name and the operator's own members. */
function forwarded(base: PlanBase, call: PlanCall, target: Target, options: PlanOptions): Plan {
  const { callerDialect, upstreamDialect, row, offer } = base;
  const hasFields = offer.bodyFields !== undefined;
  const body = hasFields ? withMissingMembers(call.body, offer.bodyFields) : call.body;
  const cost = hasFields ? upstreamDialect.readCost(body.json, call.headers) : options.cost();
  const sent = forwardRequest(callerDialect, body, { target, stream: call.stream });
  return {
    ...base,
    ...(call.purpose !== undefined && { purpose: call.purpose }),
    bytes: sent.bytes,
    json: sent.json,
    headers: call.headers,
    translation: undefined,
    fetch: [],
    dropped: [...sent.dropped, ...sent.capped],
    charging: { cost, bytes: body.bytes.length, requests: 1, factor: askedFactor(row, cost) },
  };
}

/** A body that is decoded, and written anew in the vendor's dialect. */
function rewritten(base: PlanBase, call: PlanCall, target: Target, { request, cost }: PlanOptions): Plan {
  const { row, upstreamDialect, callerDialect, id, now } = base;
  const asked = request();
  // On the vendor's own wire callers place marks themselves, so nothing is added.
  const isOwnWire = upstreamDialect.name === callerDialect.name;
  const marked = !isOwnWire && paysToKeep(row, call) ? upstreamDialect.withCacheMarks?.(asked) : undefined;
  const decoded = marked ?? asked;
  const { requestId } = call.caller;
  const context: ReplyContext = { model: call.model, request: asked, body: call.body.json, id, now, requestId };
  const { length } = call.body.bytes;
  const large = length > LARGE_BYTES ? { largeBytes: length } : {};
  const fetch = upstreamDialect.media?.urls(decoded, target) ?? [];
  const keeping = marked === undefined ? base : { ...base, route: `${row.code}; ${PROMPT_CACHE}`, keepsPrompt: true };
  if (fetch.length === 0) return translated(keeping, { request: decoded, target, context, ...large });
  // What it costs is known when the media are there; until then the body as it came refers outside.
  const factor = askedFactor(row, cost());
  return {
    ...keeping,
    bytes: Buffer.alloc(0),
    headers: {},
    translation: { request: decoded, target, sent: { body: {}, dropped: [] }, context, ...large },
    fetch,
    dropped: [],
    charging: { cost: cost(), bytes: length, requests: 1, factor },
  };
}

/** What each address has in it, as JSON may write it. */
const ADDRESSES = [Buffer.from('://'), Buffer.from(String.raw`:\/\/`)];

interface MediaLook {
  readonly request: () => ChatRequest;
  readonly target: Target;
  readonly bytes: Buffer;
}

/** Most bodies name no address and are not decoded for this. One that cannot be decoded travels as it came: its vendor may know more than we do. */
function hasMediaUrls({ media }: ChatDialect, { request, target, bytes }: MediaLook): boolean {
  if (media === undefined || !ADDRESSES.some((mark) => bytes.includes(mark))) return false;
  const asked = decodedOrNone(request);
  return asked !== undefined && media.urls(asked, target).length > 0;
}

/** A request that cannot be decoded: the vendor that gets it reports the error. */
export function decodedOrNone(request: () => ChatRequest): ChatRequest | undefined {
  try {
    return request();
  } catch {
    return undefined;
  }
}

/** The caller's own where the offer has it; else the first that conversations can be asked in. */
function wireOf({ dialects: spoken }: Offer, asked: DialectName): DialectName {
  if (spoken.includes(asked)) return asked;
  return spoken.find((name) => name !== TEXT_COMPLETIONS) ?? spoken[0] ?? asked;
}

type PlanBase = Pick<
  Plan,
  'offer' | 'row' | 'route' | 'by' | 'upstreamDialect' | 'callerDialect' | 'id' | 'now' | 'keepsPrompt'
>;

/** Vendors keep prompts of about a thousand tokens and more. */
const LEAST_KEPT_BYTES = 4_096;
/** What keeping costs beyond reading, as a share of what the next turn saves: it pays where every other turn has a next one. */
const MOST_SHARE = 0.5;

/** Whether it pays to have the vendor keep a conversation for its next turn, by the prices of the row. */
function paysToKeep({ price, noPromptCache }: ModelRow, { body }: PlanCall): boolean {
  const { input, cached_input: read, cache_write: write } = price;
  if (noPromptCache === true || input === undefined || read === undefined || write === undefined) return false;
  return body.bytes.length >= LEAST_KEPT_BYTES && write - input <= MOST_SHARE * (input - read);
}

/** A plan whose request is written in the vendor's dialect. */
export function translated(
  { offer, row, route, by, upstreamDialect, callerDialect, id, now, keepsPrompt }: PlanBase,
  { request, target, context, largeBytes }: Omit<Translation, 'sent'>,
): Plan {
  const sent: Encoded = {
    ...withinCap(
      upstreamDialect,
      withFields(upstreamDialect.encodeRequest(request, target), offer.bodyFields),
      request,
      target,
    ),
    resumes: true,
  };
  const cost = upstreamDialect.readCost(sent.body, sent.headers);
  const bytes = largeBytes === undefined ? bytesOf(sent.body) : Buffer.alloc(0);
  return {
    offer,
    row,
    ...(route !== undefined && { route }),
    ...(by !== undefined && { by }),
    ...(keepsPrompt === true && { keepsPrompt }),
    upstreamDialect,
    callerDialect,
    bytes,
    headers: sent.headers ?? {},
    translation: { request, target, sent, context, ...(largeBytes !== undefined && { largeBytes }) },
    id,
    now,
    fetch: [],
    dropped: sent.dropped,
    charging: {
      cost,
      // Of what is not written yet no more than twice what came: a model's context is reached long before.
      bytes: largeBytes === undefined ? bytes.length : 2 * largeBytes,
      requests: upstreamDialect.mayPause(sent.body) ? 1 + MOST_CONTINUATIONS : 1,
      factor: askedFactor(row, cost),
    },
  };
}

/** The operator's own members, where the caller's request has none. */
function withFields(encoded: Encoded, fields: JsonObject | undefined): Encoded {
  return fields === undefined ? encoded : { ...encoded, body: { ...fields, ...encoded.body } };
}

/** What an encoder left above the model's own limit is lowered to it. */
function withinCap(dialect: ChatDialect, encoded: Encoded, request: ChatRequest, target: Target): Encoded {
  const { maxOutputTokens: most } = target;
  if (most === undefined) return encoded;
  const edits = dialect.capEdits(encoded.body, most);
  if (edits.size === 0) return encoded;
  const lowered = Object.fromEntries([...edits].map(([name, text]) => [name, JSON.parse(text) as Json]));
  return {
    ...encoded,
    body: { ...encoded.body, ...lowered },
    dropped: [...encoded.dropped, loweredCap(request, most)],
  };
}

function bytesOf(body: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(body));
}

/** Whether the plan can be sent as it is. */
export function isReady({ fetch, translation }: Plan): boolean {
  return fetch.length === 0 && translation?.largeBytes === undefined;
}

/** What translation must know of the vendor model an offer stands for. */
export function targetOf(row: ModelRow, offer: Offer): Target {
  return targetsOf(row)(offer);
}

const targetsOf = perObject(({ limits }: ModelRow) =>
  perObject((offer: Offer): Target => {
    const { inputs, max_output_tokens: longest } = limits;
    return {
      model: offer.model,
      provider: offer.account.provider ?? offer.account.vendor,
      quirks: offer.quirks,
      ...(typeof longest === 'number' && { maxOutputTokens: longest }),
      ...(Array.isArray(inputs) && { inputs: inputs as NonNullable<Target['inputs']> }),
    };
  }),
);
