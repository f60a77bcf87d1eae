/** One vendor asked: what is sent, how the answer is read, and when the vendor is asked again for the same answer. */
import { Readable } from 'node:stream';
import {
  GatewayError,
  isJsonObject,
  setTopLevel,
  withoutTopLevel,
  type DialectName,
  type Json,
  type Usage,
} from '@model-gateway/contracts';
import {
  isJsonBody,
  streamOfReply,
  type ChatReply,
  type Dropped,
  createSseParser,
  type SseEvent,
} from '@model-gateway/translate';
import { transportError, withVendorBody, type UpstreamStream } from '@model-gateway/provider-kit';
import type { OpenOffer } from '../../parts.ts';
import { MOST_CONTINUATIONS, resumptionOf } from './continuations.ts';
import { isFileGone } from './named-files.ts';
import { resumedPlan, withoutAskedUsage, withoutReasoning } from './next-plan.ts';
import type { Plan } from './plan.ts';
import { createShowPicture, showPictures } from './shown-pictures.ts';
import type { ChatCall, ChatParts, ChatTrace } from './types.ts';
import type { VendorLane } from './vendor-sockets.ts';
import type { ReplyObserver } from './vendor-state.ts';

const LOST_REASONING: Dropped = { field: 'reasoning', reason: 'the vendor refused the reasoning of earlier turns' };

/** A question that is answered whole. */
export interface Asking {
  readonly call: ChatCall;
  readonly plan: Plan;
  /** Told of the vendor's own reply where the caller gets it as it came. */
  readonly observer: ReplyObserver | undefined;
}

export interface WholeAnswer {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  /** Whether it says nothing at all: no text, no call, no picture, no sound, and no refusal either. */
  readonly isEmpty: () => boolean;
}

/** The whole answer, in the caller's dialect. */
export async function askWhole(
  parts: ChatParts,
  { call, plan, observer }: Asking,
  upstream: ReturnType<OpenOffer>,
): Promise<WholeAnswer> {
  const reply = await upstream.upstream.send(requestOf(plan, upstream, false));
  const json = reply.json;
  if (!isJsonObject(json)) throw new GatewayError('upstream_malformed', 'the vendor’s answer is not JSON');
  const usage = plan.upstreamDialect.readUsage(json, plan.offer.quirks);
  if (plan.translation === undefined) {
    // What tells of usage was worked for, and is billed.
    if (usage === undefined && !plan.callerDialect.forwarding.isAnswer(json))
      throw new GatewayError('upstream_malformed', 'the vendor answered 200 without a valid answer');
    observer?.observe(json);
    // Whoever has the answer may refer to it at once, by way of another process.
    const written = observer?.written();
    if (written !== undefined) await written;
    const edited = plan.callerDialect.forwarding.editReply?.(json);
    return {
      body: edited === undefined ? reply.body : JSON.stringify(edited),
      usage,
      isEmpty: () => saysNothing(plan.upstreamDialect.decodeReply(json)),
    };
  }
  const { sent, context } = plan.translation;
  const first = readAnswer(usage, () => plan.upstreamDialect.decodeReply(json, sent));
  const whole = await resumedReply(parts, call, plan, upstream, first);
  const shown = plan.callerDialect.picturesByAddress
    ? await showPictures(whole, createShowPicture(parts, call.caller))
    : whole;
  return {
    body: JSON.stringify(plan.callerDialect.encodeReply(shown, context)),
    // Several continuations were several requests: their sum is what the vendor bills.
    usage: whole === first ? usage : whole.usage,
    isEmpty: () => saysNothing(whole),
  };
}

function saysNothing({ choices }: ChatReply): boolean {
  return choices.every(
    ({ parts, stop, refusal }) =>
      refusal === undefined &&
      stop !== 'refusal' &&
      stop !== 'content-filter' &&
      parts.every((part) => part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === '')),
  );
}

/** What a vendor answered, read; a failure is marked as that of an answered request, which is neither repeated nor free. */
function readAnswer<T>(usage: Usage | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'upstream_malformed') throw error;
    const answered = usage === undefined ? {} : { usage };
    throw new GatewayError(error.code, error.message, { ...error.details, answered, cause: error });
  }
}

/** Goes on where the vendor broke off. A continuation that fails leaves what was said, with the stop reason that says so. */
async function resumedReply(
  parts: ChatParts,
  call: ChatCall,
  plan: Plan,
  upstream: ReturnType<OpenOffer>,
  first: ChatReply,
): Promise<ChatReply> {
  let reply = first;
  let at = plan;
  for (let continuation = 0; continuation < MOST_CONTINUATIONS; continuation++) {
    const resumption = resumptionOf(reply);
    if (resumption === undefined) break;
    at = resumedPlan(plan, resumption);
    try {
      const { json } = await upstream.upstream.send(requestOf(at, upstream, false));
      if (!isJsonObject(json)) break;
      reply = plan.upstreamDialect.joinReplies(reply, plan.upstreamDialect.decodeReply(json, at.translation?.sent));
    } catch (error) {
      if (call.caller.signal.aborted) throw error;
      parts.log.warn({ err: error, request_id: call.caller.requestId }, 'an answer could not be resumed');
      break;
    }
  }
  return reply;
}

/** The stream, with its first event read: a refusal in it is thrown. */
export async function askStream(
  call: ChatCall,
  plan: Plan,
  upstream: ReturnType<OpenOffer>,
  /** Throws where too little of the prompt was read; absent for the rest of an answer that has begun. */
  check?: (usage: Usage | undefined) => void,
): Promise<{ readonly raw: Readable; readonly first: readonly Buffer[] }> {
  if (check !== undefined && plan.offer.account.onTruncation === 'refuse' && plan.upstreamDialect.addressing === 'body')
    return checkedStream(call, plan, upstream, check);
  const overSocket = call.vendorLane === undefined ? undefined : await askOverSocket(call.vendorLane, plan, upstream);
  const { raw } = overSocket ?? (await upstream.upstream.stream(requestOf(plan, upstream, true)));
  const first = await readFirst(raw);
  if (first[0] !== undefined && isJsonBody(first[0]))
    return { raw, first: [await wholeAsStream(call, plan, raw, first)] };
  const event = firstEvent(first);
  const refusal =
    first.length === 0
      ? new GatewayError('upstream_malformed', 'the vendor answered with an empty stream')
      : event && plan.upstreamDialect.refusalIn(event);
  if (refusal !== undefined) {
    raw.on('error', () => undefined).destroy();
    throw plan.translation === undefined
      ? withVendorBody(refusal, parseJsonBody(event?.data ?? ''), (text) => upstream.upstream.scrub(text))
      : refusal;
  }
  return { raw, first };
}

/** The answer as a stream once it is whole: how much of the prompt was read is told at its end, and `check` throws where that is too little. */
async function checkedStream(
  call: ChatCall,
  plan: Plan,
  opened: ReturnType<OpenOffer>,
  check: (usage: Usage | undefined) => void,
): Promise<{ readonly raw: Readable; readonly first: readonly Buffer[] }> {
  const bare = withoutTopLevel(plan.bytes, new Set(['stream_options']));
  const whole = { ...plan, bytes: setTopLevel(bare, new Map([['stream', 'false']])) };
  const { json } = await opened.upstream.send(requestOf(whole, opened, false));
  if (json === undefined) throw new GatewayError('upstream_malformed', 'the vendor’s answer is not JSON');
  check(plan.upstreamDialect.readUsage(json, plan.offer.quirks));
  return { raw: Readable.from([]), first: [replyAsStream(call, plan, json)] };
}

/** The stream over a socket to the vendor; undefined where it takes none, or this request is for HTTP. */
async function askOverSocket(
  lane: VendorLane,
  plan: Plan,
  opened: ReturnType<OpenOffer>,
): Promise<Pick<UpstreamStream, 'raw'> | undefined> {
  const { bytes, json, offer, purpose } = plan;
  const { socketMode: mode } = plan.upstreamDialect;
  if (mode === undefined || json === undefined || purpose !== undefined) return undefined;
  const { adapter, upstream } = opened;
  if (adapter.chat?.takesSockets?.(upstream.account.settings) !== true) return undefined;
  const { path, headers } = requestOf(plan, opened, true);
  const { 'content-type': _type, ...travelling } = headers ?? {};
  return lane.ask({ mode, bytes, json, account: offer.account, opening: { path, headers: travelling } }, upstream);
}

/** A vendor that answers one JSON body where a stream was asked for: its reply as a stream; a refusal in it is thrown. */
async function wholeAsStream(call: ChatCall, plan: Plan, raw: Readable, first: readonly Buffer[]): Promise<Buffer> {
  const json = parseJsonBody(Buffer.concat([...first, ...(await readRest(raw))]).toString('utf8'));
  if (json === undefined) throw new GatewayError('upstream_malformed', 'the vendor answered with half a JSON body');
  return replyAsStream(call, plan, json);
}

function replyAsStream(call: ChatCall, plan: Plan, json: Json): Buffer {
  const { upstreamDialect, offer } = plan;
  const text = readAnswer(upstreamDialect.readUsage(json, offer.quirks), () =>
    streamOfReply(upstreamDialect, json, {
      model: plan.offer.model,
      // With its usage: what the caller did not ask for is left out on the way.
      request: {
        model: plan.offer.model,
        stream: true,
        streamUsage: true,
        system: [],
        turns: [],
        tools: [],
        extra: {},
      },
      body: call.body.json,
      id: plan.id,
      now: plan.now,
      requestId: call.caller.requestId,
    }),
  );
  return Buffer.from(text);
}

function parseJsonBody(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Asks, and once more without what only the gateway sent along when the vendor refuses that: old reasoning, a wish for usage. */
export async function asked<T>(
  call: ChatCall,
  plan: Plan,
  { trace, ask }: { readonly trace: ChatTrace; readonly ask: (attempted: Plan) => Promise<T> },
): Promise<T> {
  trace.dropped = plan.dropped;
  try {
    return await ask(plan);
  } catch (error) {
    const { named } = plan;
    if (named !== undefined && isFileGone(error)) {
      await named.forget();
      return asked(call, named.inlined, { trace, ask });
    }
    const plain = withoutAskedUsage(plan, call, error);
    if (plain !== undefined) return ask(plain).catch((again: unknown) => Promise.reject(asTold(plain, again) as Error));
    const bare = withoutReasoning(plan, error);
    if (bare === undefined) throw asTold(plan, error);
    trace.dropped = [...bare.dropped, LOST_REASONING];
    return ask(bare).catch((again: unknown) => Promise.reject(asTold(bare, again) as Error));
  }
}

/** What a vendor added to its refusal is shown where the caller speaks its wire. */
export function sharesWire(error: unknown, wire: DialectName): unknown {
  if (!(error instanceof GatewayError) || error.details.vendorBody === undefined) return error;
  return new GatewayError(error.code, error.message, { ...error.details, wire });
}

/** A vendor's refusal of a translated request speaks of fields that the caller never wrote: it says so, and names none of them. */
function asTold({ translation, callerDialect }: Plan, error: unknown): unknown {
  if (translation === undefined) return sharesWire(error, callerDialect.name);
  if (!(error instanceof GatewayError) || error.code !== 'invalid_request') return error;
  const { param: _param, ...details } = error.details;
  const message = `the vendor refused the request, in the words of its own format: ${error.message}`;
  return new GatewayError(error.code, message, { ...details, cause: error });
}

/** What the adapter makes of the plan. */
export function requestOf(plan: Plan, { adapter, upstream }: ReturnType<OpenOffer>, stream: boolean) {
  if (adapter.chat === undefined) throw new GatewayError('internal', 'the offer’s vendor has no chat');
  return adapter.chat.request({
    dialect: plan.upstreamDialect.name,
    purpose: plan.purpose ?? 'generate',
    model: plan.offer.model,
    stream,
    body: plan.bytes,
    headers: plan.headers,
    settings: upstream.account.settings,
  });
}

/** A first event larger than this is no refusal. */
const LARGEST_FIRST_EVENT = 256 * 1024;

/** Reads until the first event is whole, so that a refusal inside a 200 can still go elsewhere. */
export async function readFirst(raw: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const done = (): void => {
      raw.off('data', onData).off('end', done).off('error', onError);
      resolve(chunks);
    };
    const onError = (error: Error): void => {
      raw.off('data', onData).off('end', done);
      reject(transportError(error, 'before its first event'));
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < LARGEST_FIRST_EVENT && !endsEvent(chunk) && !endsEvent(Buffer.concat(chunks))) return;
      raw.pause();
      done();
    };
    raw.on('data', onData).on('end', done).on('error', onError);
  });
}

const LARGEST_WHOLE_REPLY = 96 * 1024 * 1024;

/** What comes behind `readFirst`, to the end; throws when it is cut or too much. */
export async function readRest(raw: Readable): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  if (raw.readableEnded) return chunks;
  try {
    for await (const chunk of raw as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST_WHOLE_REPLY) throw new GatewayError('upstream_malformed', 'the vendor’s answer is too large');
    }
  } catch (error) {
    throw transportError(error, 'in the middle of its answer');
  }
  return chunks;
}

function endsEvent(bytes: Buffer): boolean {
  return bytes.includes('\n\n') || bytes.includes('\r\n\r\n');
}

function firstEvent(first: readonly Buffer[]): SseEvent | undefined {
  const parser = createSseParser();
  for (const chunk of first) {
    const [event] = parser.push(chunk);
    if (event !== undefined) return event;
  }
  return undefined;
}
