/** One attempt's plan: what is sent to an offer, in which dialect, and how the reply comes back. */
import { GatewayError, type DialectName, type JsonObject } from '@model-gateway/contracts';
import type { Upstream } from '@model-gateway/provider-kit';
import {
  dialects,
  forwardRequest,
  isStateRefusal,
  type AssistantPart,
  type ChatDialect,
  type ChatRequest,
  type Dropped,
  type Encoded,
  type FetchedMedia,
  type ReplyContext,
  type Target,
} from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import type { ChatBody } from './body.ts';
import { resumed, type Resumption } from './continuations.ts';
import { targetOf } from './target.ts';

const LARGEST_MEDIA_BYTES = 50 * 1024 * 1024;
const MEDIA_TYPES = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/heic',
  'image/heif',
  'application/pdf',
  'audio/wav',
  'audio/mpeg',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
  'video/mp4',
  'video/mpeg',
  'video/quicktime',
  'video/webm',
] as const;

/** Set when the caller's dialect and the vendor's differ. */
export interface Translation {
  readonly request: ChatRequest;
  readonly target: Target;
  readonly sent: Encoded;
  readonly context: ReplyContext;
}

export interface Plan {
  readonly offer: Offer;
  readonly upstreamDialect: ChatDialect;
  readonly callerDialect: ChatDialect;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly translation: Translation | undefined;
  /** What the caller is told was left out of the request. */
  readonly dropped: readonly Dropped[];
  /** Random, without prefix: for ids of the gateway's own in the answer. */
  readonly id: string;
  /** Unix seconds. */
  readonly now: number;
  /** Media this model takes only as bytes: the plan is complete when they have been fetched (`withMedia`). */
  readonly fetch: readonly string[];
}

export interface PlanCall {
  readonly caller: { readonly requestId: string };
  readonly dialect: DialectName;
  readonly body: ChatBody;
  readonly model: string;
  readonly stream: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PlanOptions {
  readonly row: ModelRow;
  /** The caller's request in the middle form; decoded once. */
  readonly request: () => ChatRequest;
  readonly id: string;
  /** Unix seconds. */
  readonly now: number;
}

/** Throws `invalid_request` when this offer cannot carry the request. */
export function planFor(call: PlanCall, offer: Offer, { row, request, id, now }: PlanOptions): Plan {
  const callerDialect = dialects[call.dialect];
  const upstreamDialect =
    dialects[offer.dialects.includes(call.dialect) ? call.dialect : (offer.dialects[0] ?? call.dialect)];
  const target = targetOf(row, offer);
  if (upstreamDialect.name === callerDialect.name) {
    const { bytes, dropped } = forwardRequest(callerDialect, call.body, { target, stream: call.stream });
    return {
      offer,
      upstreamDialect,
      callerDialect,
      bytes,
      headers: call.headers,
      translation: undefined,
      dropped,
      id,
      now,
      fetch: [],
    };
  }
  const decoded = request();
  const { requestId } = call.caller;
  const context: ReplyContext = { model: call.model, request: decoded, body: call.body.json, id, now, requestId };
  const fetch = upstreamDialect.media?.urls(decoded, target) ?? [];
  if (fetch.length === 0)
    return translated({ offer, upstreamDialect, callerDialect, id, now }, { request: decoded, target, context });
  const sent = { body: {}, dropped: [] };
  const translation = { request: decoded, target, sent, context };
  const bytes = Buffer.alloc(0);
  return { offer, upstreamDialect, callerDialect, bytes, headers: {}, translation, dropped: [], id, now, fetch };
}

function translated(
  {
    offer,
    upstreamDialect,
    callerDialect,
    id,
    now,
  }: Pick<Plan, 'offer' | 'upstreamDialect' | 'callerDialect' | 'id' | 'now'>,
  { request, target, context }: Omit<Translation, 'sent'>,
): Plan {
  const encoded = upstreamDialect.encodeRequest(request, target);
  const sent: Encoded = { ...encoded, resumes: true };
  return {
    offer,
    upstreamDialect,
    callerDialect,
    bytes: bytesOf(sent.body),
    headers: sent.headers ?? {},
    translation: { request, target, sent, context },
    dropped: sent.dropped,
    id,
    now,
    fetch: [],
  };
}

function bytesOf(body: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(body));
}

/** The plan with its media fetched and put in; the same plan when there is none. */
export async function withMedia(plan: Plan, upstream: Pick<Upstream, 'fetchMedia'>): Promise<Plan> {
  const { translation, upstreamDialect, fetch } = plan;
  if (translation === undefined || upstreamDialect.media === undefined || fetch.length === 0) return plan;
  const { request } = translation;
  const fetched = await Promise.all(
    fetch.map(async (url): Promise<readonly [string, FetchedMedia]> => {
      const param = placeOf(request, url);
      const { bytes, mime } = await upstream.fetchMedia(url, {
        maxBytes: LARGEST_MEDIA_BYTES,
        types: MEDIA_TYPES,
        param,
      });
      return [url, { data: Buffer.from(bytes).toString('base64'), mime }];
    }),
  );
  return translated(plan, { ...translation, request: upstreamDialect.media.inline(request, new Map(fetched)) });
}

function placeOf(request: ChatRequest, url: string): string {
  for (const turn of request.turns) {
    for (const part of turn.parts) {
      const media = part.type === 'tool-result' ? part.content : [part];
      const found = media.find((each) => 'source' in each && each.source.type === 'url' && each.source.url === url);
      if (found !== undefined) return found.place ?? part.place ?? turn.place ?? 'messages';
    }
  }
  return 'messages';
}

/** The request that goes on where the vendor broke off. */
export function resumedPlan(plan: Plan, resumption: Resumption): Plan {
  const { translation } = plan;
  if (translation === undefined) throw new GatewayError('internal', 'a forwarded answer is not resumed here');
  return translated(plan, { ...translation, request: resumed(translation.request, resumption) });
}

/** The last resort of docs/wire/chat-translation.md#reasoning-state: the same request without reasoning, when the vendor refused the state it came with. */
export function withoutReasoning(plan: Plan, error: unknown): Plan | undefined {
  const { translation } = plan;
  if (translation === undefined || !isStateRefusal(error)) return undefined;
  const { request } = translation;
  const hasState = ({ type, opaque }: AssistantPart): boolean => type === 'reasoning' || opaque !== undefined;
  if (!request.turns.some((turn) => turn.role === 'assistant' && turn.parts.some(hasState))) return undefined;
  const turns = request.turns.map((turn) => {
    if (turn.role !== 'assistant') return turn;
    const parts = turn.parts
      .filter(({ type }) => type !== 'reasoning')
      .map(({ opaque: _opaque, ...part }) => part as AssistantPart);
    return { ...turn, parts };
  });
  return translated(plan, { ...translation, request: { ...request, turns } });
}
