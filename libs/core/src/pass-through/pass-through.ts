/** Paths of a vendor's own that an operator has opened: who may ask them, and a request to one from the hold to the bill. */
import { createHash } from 'node:crypto';
import { GatewayError, type Usage } from '@model-gateway/contracts';
import {
  faultOfStatus,
  faultToError,
  inOnePiece,
  parseVendorJson,
  withoutSecrets,
  type UpstreamRequest,
  type UpstreamStream,
} from '@model-gateway/provider-kit';
import type { Catalogue, Offer, OpenedPath, PassThrough } from '../catalogue.ts';
import { matches } from '../keys/pattern.ts';
import type { Candidate } from '../paid/attempt-loop.ts';
import { runPaid, type PaidParts } from '../paid/paid-request.ts';
import { untilEnd, type ReadingEnd } from '../paid/paid-stream.ts';
import type { Payment } from '../paid/payment.ts';
import type { RepeatPolicy } from '../paid/repeat.ts';
import type { Trace } from '../paid/trace.ts';
import type { Caller, OpenOffer, Parts } from '../parts.ts';
import type { KeyRecord } from '../ports.ts';
import { segmentsOf } from './opened-path.ts';
import { ReportedUsage } from './reported-usage.ts';

/** What an account's rows are called where models are named: in lists of keys, on bills and in metrics. */
export const PASS_THROUGH_PREFIX = 'pass/';
const LARGEST_REFUSAL = 256 * 1024;

export type PassThroughParts = PaidParts & Pick<Parts, 'now'> & { readonly openOffer: OpenOffer };

/** One request to an opened path. */
export interface PassThroughCall {
  readonly caller: Caller;
  readonly opened: OpenedPath;
  readonly offer: Offer;
  readonly endpoint: string;
  readonly request: Pick<UpstreamRequest, 'method' | 'path' | 'headers' | 'source'>;
  /** Whether all of the body has come. */
  readonly isSent: () => boolean;
}

/** What the vendor answers, refusals included. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** What a refusal is in the gateway's words, for the log. */
  readonly refusal?: GatewayError;
}

/** What is opened under this name for the key. Throws `not_found` where nothing is: whoever may not ask learns of no account. */
export function passThroughFor(
  { passThrough }: Pick<Catalogue, 'passThrough'>,
  name: string,
  key: KeyRecord,
): PassThrough {
  const found = passThrough?.get(name);
  if (found !== undefined && isOpenTo(found, key)) return found;
  throw new GatewayError('not_found', `nothing is opened to this key under /pass/${name.slice(0, 100)}`, {
    param: 'account',
  });
}

function isOpenTo({ keys, groups, owners }: PassThrough, { name, group, ownerId }: KeyRecord): boolean {
  const fits = (patterns: readonly string[] | undefined, text: string): boolean =>
    patterns === undefined || patterns.some((pattern) => matches(pattern, text));
  return fits(keys, name) && fits(groups, group) && (owners === undefined || owners.includes(ownerId));
}

/** The opened path that this one is. Throws `forbidden` where it is none, and `method_not_allowed` where others are asked there. */
export function openedPathOf({ paths }: PassThrough, method: string, written: string): OpenedPath {
  const segments = segmentsOf(written);
  const there = paths.filter(({ pattern }) => pattern.names(segments));
  const opened = there.find(({ methods }) => methods.has(method));
  if (opened !== undefined) return opened;
  const path = `/${written.slice(0, 200)}`;
  const allow = [...new Set(there.flatMap(({ methods }) => [...methods]))];
  throw allow.length > 0
    ? new GatewayError('method_not_allowed', `${path} is opened to ${allow.join(', ')} alone`, { allow })
    : new GatewayError('forbidden', `the operator has not opened ${path}`, { param: 'path' });
}

/** A caller's idempotency key as the vendor gets it: apart from those of other owners, whose answers it must not replay. */
export function ownIdempotencyKey(given: string, { ownerId, mode }: Pick<KeyRecord, 'ownerId' | 'mode'>): string {
  return createHash('sha256').update(`${ownerId} ${mode} ${given}`).digest('hex');
}

/** Nobody else can be asked, and a body that went out is not there a second time. */
const ONCE: RepeatPolicy = { mostAttempts: 1, forbiddenWhen: 'maybe-taken' };

/** Asks the vendor. Throws GatewayError where no answer came, or one about the gateway's own credentials; nothing is charged then. */
export function passOn(parts: PassThroughParts, call: PassThroughCall, trace: Trace): Promise<PassedAnswer> {
  const { caller, opened, offer, endpoint } = call;
  return runPaid<Candidate, PassedAnswer>(parts, {
    caller,
    row: opened.row,
    endpoint,
    trace,
    repeat: ONCE,
    quote: { most: { calls: 1, ...opened.most } },
    candidates: [{ offer }],
    attempt: (_candidate, payment) => new PassedRequest(parts, call, trace).ask(payment),
  });
}

/** One request on its way to the vendor and its answer on the way back. */
class PassedRequest {
  private readonly parts: PassThroughParts;
  private readonly call: PassThroughCall;
  private readonly trace: Trace;
  private readonly over = new AbortController();

  constructor(parts: PassThroughParts, call: PassThroughCall, trace: Trace) {
    this.parts = parts;
    this.call = call;
    this.trace = trace;
  }

  async ask(payment: Payment): Promise<PassedAnswer> {
    const { caller, offer, request } = this.call;
    const isCut = offer.account.onDisconnect.others === 'abort';
    const signal = isCut ? AbortSignal.any([caller.signal, this.over.signal]) : this.over.signal;
    const { adapter, upstream } = this.parts.openOffer(offer, signal, this.trace);
    const answer = await this.whileSent(upstream.forward(request));
    const reply = { ...answer, headers: this.cleanHeaders(answer) };
    if (reply.status < 400) return { ...reply, body: this.metered(reply, payment) };
    const body = await refusalBody(reply);
    const whole = { status: reply.status, headers: reply.headers, body, json: jsonOf(body) };
    const fault = adapter.readFault(whole) ?? faultOfStatus(whole);
    const error = fault === undefined ? undefined : faultToError(fault, offer.account, whole);
    // What a vendor says of the gateway's own credentials is no caller's.
    if (error?.code === 'upstream_rejected_key') throw error;
    const isAccounts = error !== undefined && (reply.status === 429 || reply.status >= 500);
    payment.settle({ usage: undefined, ...(isAccounts ? { error } : { inconclusive: true }) });
    const clean = Buffer.from(withoutSecrets(body.toString('latin1'), offer.account), 'latin1');
    return { ...reply, body: inOnePiece(clean), ...(error !== undefined && { refusal: error }) };
  }

  /** A vendor that shows what it was asked shows the account's credentials, too. */
  private cleanHeaders({ headers }: UpstreamStream): Readonly<Record<string, string>> {
    const { account } = this.call.offer;
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, account)]));
  }

  /** Who hangs up before all of the body has come leaves nothing that a vendor could answer. */
  private async whileSent(answering: Promise<UpstreamStream>): Promise<UpstreamStream> {
    const { caller, isSent } = this.call;
    const gone = (): void => {
      if (!isSent()) this.over.abort();
    };
    caller.signal.addEventListener('abort', gone, { once: true });
    try {
      return await answering;
    } catch (error) {
      throw this.isCallersSilence(error) ? bodyNeverCame() : error;
    } finally {
      caller.signal.removeEventListener('abort', gone);
    }
  }

  /** A vendor that waits for the rest of a body is not to blame. */
  private isCallersSilence(error: unknown): boolean {
    return error instanceof GatewayError && error.code === 'upstream_timeout' && !this.call.isSent();
  }

  private metered({ headers, body }: UpstreamStream, payment: Payment): AsyncIterable<Uint8Array> {
    const { opened, offer, caller } = this.call;
    const reported = new ReportedUsage(opened.counts, headers['content-type'] ?? '');
    async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of body) {
        reported.push(chunk);
        yield chunk;
      }
    }
    const ended = (end: ReadingEnd): void => {
      const isWhole = end.how === 'read' || (end.how === 'abandoned' && end.drained === true);
      payment.settle({
        usage: this.used(reported.end(), end.how === 'failed'),
        ...(end.how === 'failed' && end.error instanceof GatewayError && { error: end.error }),
        ...(end.how === 'abandoned' && { inconclusive: true }),
      });
      if (!isWhole) this.over.abort();
    };
    return untilEnd(read(), caller.signal, ended, { onDisconnect: offer.account.onDisconnect.others });
  }

  /** What an answer does not tell is as much as was set aside, unless it broke off: then its reader has no answer. */
  private used(told: Usage, isBroken: boolean): Usage {
    const { counts, most } = this.call.opened;
    const isTold = counts.every(({ name }) => told[name] !== undefined);
    return { calls: 1, ...(!isTold && !isBroken && { ...most, estimated: true }), ...told };
  }
}

async function refusalBody({ body }: UpstreamStream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= LARGEST_REFUSAL) break;
    }
  } catch {
    // The status has said what matters.
  }
  return Buffer.concat(chunks).subarray(0, LARGEST_REFUSAL);
}

function jsonOf(body: Buffer) {
  return parseVendorJson(body.toString('utf8'));
}

function bodyNeverCame(): GatewayError {
  return new GatewayError('invalid_request', 'the rest of the body did not arrive in time', { taken: 'no' });
}
