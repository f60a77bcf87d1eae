/** What the log of requests keeps of a request that has ended; never what was said in it. */
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@model-gateway/contracts';
import type { FailedAttempt, KeyRecord, RequestAttempt, RequestRow } from '@model-gateway/core';
import type { Exchange } from './exchange.ts';
import { tagsOf } from './request-control.ts';

const LONGEST_CLIENT = 120;
const LONGEST_MODEL = 256;
const LONGEST_MESSAGE = 500;
const MOST_DROPPED = 50;
/** What a database may refuse in a text: control characters, and halves of pairs. */
const UNCLEAN = /[\u0000-\u001f\u007f\ud800-\udfff]/;
const CONTROLS = /[\u0000-\u001f\u007f]/g;

export interface RequestEnd {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly ms: number;
  readonly aborted: boolean;
}

/** The row of a request. It is made for every one: it only points to what is known already, and has all members always. */
export function requestRow(
  exchange: Exchange,
  key: KeyRecord,
  { headers, status, ms, aborted }: RequestEnd,
): RequestRow {
  const { requestId, startedAt, match, knownModel: model, trace, task, firstByteAt } = exchange;
  const { operation } = match;
  const client = headers['user-agent'];
  const tags = headers['x-gateway-tags'];
  const dropped = task?.dropped ?? trace?.dropped;
  return {
    id: requestId,
    at: startedAt,
    ownerId: key.ownerId,
    mode: key.mode,
    keyId: key.id,
    operation: operation?.id ?? '',
    kind: trace?.row?.kind ?? operation?.kind,
    model: model === undefined ? undefined : clean(model, LONGEST_MODEL),
    status,
    error: exchange.errorCode,
    aborted,
    streamed: exchange.streamed,
    ms,
    firstByteMs: firstByteAt === undefined ? undefined : firstByteAt - startedAt,
    accountId: trace?.accountId ?? task?.accountId,
    vendor: trace?.vendor ?? task?.vendor,
    upstreamModel: trace?.offer?.model ?? task?.upstreamModel,
    askedMs: trace === undefined || trace.askedAt === 0 ? undefined : trace.askedAt - startedAt,
    route: trace?.route,
    attempts: trace?.attempts ?? task?.attempts ?? 0,
    inputTokens: trace?.usage?.inputTokens,
    cachedInputTokens: trace?.usage?.cachedInputTokens,
    outputTokens: trace?.usage?.outputTokens,
    charged: trace?.charged ?? 0,
    address: exchange.address,
    client: client === undefined ? undefined : clean(client, LONGEST_CLIENT),
    dropped: dropped === undefined || dropped.length === 0 ? undefined : dropped.slice(0, MOST_DROPPED).map(fieldOf),
    tags: tags === undefined ? undefined : tagsOf(tags),
    failures: trace?.failures?.map((each) => attemptOf(each, startedAt)),
  };
}

function fieldOf(dropped: string | { readonly field: string }): string {
  return clean(typeof dropped === 'string' ? dropped : dropped.field, LONGEST_MODEL);
}

function attemptOf({ offer, model, askedAt, endedAt, error }: FailedAttempt, startedAt: number): RequestAttempt {
  const known = error instanceof GatewayError ? error : undefined;
  const status = known?.details.vendorStatus;
  return {
    accountId: offer.account.id,
    vendor: offer.account.vendor,
    model,
    upstreamModel: offer.model,
    startedMs: askedAt - startedAt,
    ms: endedAt - askedAt,
    error: known?.code ?? 'internal',
    ...(status !== undefined && { status }),
    ...(known !== undefined && { message: clean(known.details.vendorWords ?? known.message, LONGEST_MESSAGE) }),
  };
}

function clean(text: string, longest: number): string {
  const bounded = text.length > longest ? text.slice(0, longest) : text;
  return UNCLEAN.test(bounded) ? bounded.replace(CONTROLS, ' ').toWellFormed() : bounded;
}
