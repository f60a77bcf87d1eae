/** What callers say of the way that one request may take, by `x-gateway-…` headers (docs/guides/routing-reference.md#request-headers). */
import type { Request } from 'express';
import { GatewayError } from '@model-gateway/contracts';
import {
  vendorNames,
  type Catalogue,
  type MediaControl,
  type RequestControl,
  type VendorChoice,
  type CacheWord,
} from '@model-gateway/core';
import { didYouMean } from '../config/nearest.ts';

const HEADERS = [
  'x-gateway-max-cost',
  'x-gateway-timeout',
  'x-gateway-vendors',
  'x-gateway-no-fallback',
  'x-gateway-tags',
] as const;
/** What only chat requests take, in any group; of them what requests whose answers may be kept take, too. */
const CHAT_ALONE = ['x-gateway-resumable', 'x-gateway-cache'] as const;
const KEPT: Header = 'x-gateway-cache';
type Header = (typeof HEADERS)[number] | (typeof CHAT_ALONE)[number];

const LONGEST_TIMEOUT_SECONDS = 3600;
const MOST_TAGS = 16;
const LONGEST_VALUE = 1000;
const AMOUNT = /^\d{1,9}(\.\d{1,9})?$/;
const WORD = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}$/;

/**
 * The headers of a request, read; undefined when there is none. Throws `invalid_request` naming the header that is malformed, and
 * `forbidden` where the group's keys may not say such things.
 */
export function requestControl(
  { headers }: Pick<Request, 'headers'>,
  catalogue: () => Catalogue,
  group: string,
): RequestControl | undefined {
  const cost = headers['x-gateway-max-cost'];
  const timeout = headers['x-gateway-timeout'];
  const vendors = headers['x-gateway-vendors'];
  const noFallback = headers['x-gateway-no-fallback'];
  const tags = headers['x-gateway-tags'];
  if (
    cost === undefined &&
    timeout === undefined &&
    vendors === undefined &&
    noFallback === undefined &&
    tags === undefined
  )
    return undefined;
  const current = catalogue();
  if (current.closedGroups?.has(group) === true)
    throw new GatewayError('forbidden', `keys of the group ${group} may not send ${sentBy({ headers }).join(', ')}`);
  return {
    ...(cost !== undefined && { maxCost: amountIn('x-gateway-max-cost', textOf(cost)) }),
    ...(timeout !== undefined && { timeoutSeconds: secondsIn(textOf(timeout)) }),
    ...(vendors !== undefined && { vendors: vendorsIn(textOf(vendors), current) }),
    ...(noFallback !== undefined && { noFallback: truthIn(textOf(noFallback)) }),
    ...(tags !== undefined && { tags: tagsIn(textOf(tags)) }),
  };
}

/** Refuses what an operation does not heed, by the header's name: a cap that does nothing is worse than none. */
export function refuseControl(request: Pick<Request, 'headers'>): void {
  const [header] = sentBy(request);
  if (header !== undefined) throw wrong(header, 'is for requests that a model answers by itself; leave it out here');
}

/** Refuses what only chat requests take, by the header's name. */
function refuseChatWords({ headers }: Pick<Request, 'headers'>, isKept: boolean): void {
  const header = CHAT_ALONE.find((name) => headers[name] !== undefined && !(isKept && name === KEPT));
  if (header === undefined) return;
  throw wrong(header, `is for chat requests${header === KEPT ? ' and for vectors' : ''}; leave it out here`);
}

/** The same of a request for pictures, speech or a video, which has no deadline of its own. `isKept`: its answers may be. */
export function mediaControl(
  request: Pick<Request, 'headers'>,
  catalogue: () => Catalogue,
  group: string,
  isKept = false,
): { readonly control?: MediaControl } {
  refuseChatWords(request, isKept);
  const control = requestControl(request, catalogue, group);
  if (control === undefined) return {};
  if (control.timeoutSeconds !== undefined)
    throw wrong(
      'x-gateway-timeout',
      'is for chat requests: what a vendor has begun to make it bills; leave it out here',
    );
  return { control };
}

function sentBy({ headers }: Pick<Request, 'headers'>): readonly Header[] {
  return HEADERS.filter((name) => headers[name] !== undefined);
}

function textOf(value: string | readonly string[]): string {
  return (typeof value === 'string' ? value : value.join(',')).trim().slice(0, LONGEST_VALUE);
}

function wrong(header: Header, message: string): GatewayError {
  return new GatewayError('invalid_request', `${header} ${message}`, { param: header });
}

function amountIn(header: Header, text: string): number {
  const amount = AMOUNT.test(text) ? Number(text) : 0;
  if (amount <= 0) throw wrong(header, `is '${text.slice(0, 40)}'; it must be US dollars above 0, such as 0.05`);
  return amount;
}

function secondsIn(text: string): number {
  const seconds = AMOUNT.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= LONGEST_TIMEOUT_SECONDS) return seconds;
  const bounds = `seconds above 0 and up to ${LONGEST_TIMEOUT_SECONDS}, such as 20`;
  throw wrong('x-gateway-timeout', `is '${text.slice(0, 40)}'; it must be ${bounds}`);
}

function truthIn(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw wrong('x-gateway-no-fallback', `is '${text.slice(0, 40)}'; it must be true or false`);
}

/** `openai, anthropic`, or `-openai` for all but one. */
function vendorsIn(text: string, { accounts }: Catalogue): VendorChoice {
  const known = new Set(accounts.flatMap(vendorNames));
  const only: string[] = [];
  const not: string[] = [];
  for (const word of wordsIn('x-gateway-vendors', text)) {
    const isExcluded = word.startsWith('-');
    const name = isExcluded ? word.slice(1) : word;
    if (!known.has(name)) {
      const near = didYouMean(name, known);
      throw wrong('x-gateway-vendors', `names '${name.slice(0, 40)}', which is no vendor of this gateway${near}`);
    }
    (isExcluded ? not : only).push(name);
  }
  return { only, not };
}

/** `team=search, tier=gold` */
function tagsIn(text: string): Readonly<Record<string, string>> {
  const pairs = wordsIn('x-gateway-tags', text).map((word): [string, string] => {
    const [name = '', value = '', ...more] = word.split('=').map((part) => part.trim());
    if (!WORD.test(name) || !WORD.test(value) || more.length > 0) {
      const form = 'name=value, separated by commas, of letters, digits and ._:/@-';
      throw wrong('x-gateway-tags', `has '${word.slice(0, 40)}'; it must be ${form}`);
    }
    return [name, value];
  });
  if (pairs.length > MOST_TAGS) throw wrong('x-gateway-tags', `has ${pairs.length} tags; ${MOST_TAGS} are taken`);
  return Object.fromEntries(pairs);
}

/** The tags of a request that has ended: of a header that was refused, what can be read. */
export function tagsOf(value: string | readonly string[]): Readonly<Record<string, string>> {
  const pairs = textOf(value)
    .split(',')
    .map((word) => word.split('=').map((part) => part.trim()))
    .filter(([name = '', text = '', ...more]) => WORD.test(name) && WORD.test(text) && more.length === 0)
    .slice(0, MOST_TAGS);
  return Object.fromEntries(pairs.map(([name = '', text = '']) => [name, text]));
}

function wordsIn(header: Header, text: string): readonly string[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) throw wrong(header, 'is empty; leave it out or name something');
  return words;
}

const ON_LIMIT = 'x-gateway-on-limit';

/** Whether a limit that is used up is told in a message. Throws `invalid_request` for a word other than `message` and `error`. */
export function wantsMessageOnLimit({ headers }: Pick<Request, 'headers'>): boolean {
  const word = headers[ON_LIMIT];
  if (word === undefined || word === 'error' || word === 'message') return word === 'message';
  throw new GatewayError(
    'invalid_request',
    `${ON_LIMIT} is '${String(word).slice(0, 40)}'; it must be message or error`,
    { param: ON_LIMIT },
  );
}

const HEADER = 'x-gateway-cache';

/** `no-store`: nothing kept is given, and nothing is kept; `refresh`: a new answer takes the place of what is kept. Throws `invalid_request` for another word. */
export function cacheWordOf({ headers }: Pick<Request, 'headers'>): CacheWord | undefined {
  const word = headers[HEADER];
  if (word === undefined || word === 'no-store' || word === 'refresh') return word;
  throw new GatewayError(
    'invalid_request',
    `${HEADER} is '${String(word).slice(0, 40)}'; it must be no-store or refresh`,
    { param: HEADER },
  );
}
