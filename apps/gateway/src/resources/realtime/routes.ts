/** Realtime conversations over WebSockets: opening one, and paying its turns. */
import { GatewayError, OPERATIONS, type JsonObject } from '@model-gateway/contracts';
import {
  findModel,
  newTrace,
  openLine,
  payTurn,
  quoteOfTranscript,
  quoteOfTurn,
  refuseGuarded,
  type ApiKeyAuthenticator,
  type ModelRow,
  type Offer,
  type RealtimeLine,
  type RealtimeParts,
} from '@model-gateway/core';
import { realtimeEvents } from '@model-gateway/translate';
import type { Request, Response } from 'express';
import { admitModel } from '../../http/steps/limits.ts';
import { operation, type BodyOf, type Handler, type Handlers, type ReplyOf } from '../../http/operation.ts';
import { CLOSE_FAILED } from '../../http/client-socket.ts';
import { mediaControl } from '../../http/request-control.ts';
import { answerUpgrade, askedWith, type Acceptance, type OpenSocket, type SocketSession } from '../../http/upgrades.ts';
import type { ClientSecrets } from './client-secrets.ts';
import type { OpenedSession } from './line.ts';
import type { SessionParts } from './session.ts';
import { LineRequest, RealtimeTurn, withQuery } from './turns.ts';

const { path: ENDPOINT } = OPERATIONS.connectRealtime;

export interface RealtimeRouteParts {
  readonly parts: RealtimeParts & { readonly randomId: () => string };
  readonly authenticator: ApiKeyAuthenticator;
  readonly clientSecrets: ClientSecrets;
}

/** Handlers of the realtime operations. */
export function realtimeRoutes(given: RealtimeRouteParts): Handlers {
  const { now } = given.parts;
  const open = answerUpgrade('connectRealtime', (request, response) => accept(given, request, response));
  const openGoogle = answerUpgrade('connectGeminiLive', async ({ path: at, query }) => {
    const { GeminiSession } = await import('./gemini-session.ts');
    const { key } = query;
    const path = typeof key === 'string' ? withQuery(at, new URLSearchParams({ key })) : at;
    return { open: (socket) => new GeminiSession(socket, { now, path }) };
  });
  const withContext =
    (otherwise: Handler): Handler =>
    (request, response) => {
      const asked = askedWith(request);
      if (asked instanceof RealtimeTurn) return pay(given, asked, request, response);
      if (asked instanceof LineRequest) return giveLine(given, asked, request, response);
      return otherwise(request, response);
    };
  return {
    connectRealtime: withContext(open),
    connectGeminiLive: withContext(openGoogle),
    connectGeminiLiveV1: withContext(openGoogle),
    createRealtimeClientSecret: operation<'createRealtimeClientSecret'>(({ body, response }) =>
      makeSecret(given, body, response),
    ),
  };
}

const USUAL_SECONDS = 600;

async function makeSecret(
  { parts, authenticator, clientSecrets }: RealtimeRouteParts,
  { expires_after: after, session: asked }: BodyOf<'createRealtimeClientSecret'>,
  response: Response,
): Promise<ReplyOf<'createRealtimeClientSecret'>> {
  const { exchange } = response.locals;
  const { caller } = exchange;
  const { type = 'realtime', model, ...more } = { ...asked };
  const session = more as JsonObject;
  if (type === 'realtime') {
    inSession(() => admitModel(authenticator, response, model, 'realtime'));
    refuseGuarded(
      parts,
      caller,
      inSession(() => findModel(parts.catalogue(), exchange.model, ['realtime'])),
    );
  }
  const { transcriber } = realtimeEvents.viewOf(session);
  if (transcriber !== undefined) {
    authenticator.checkModel(caller.key, transcriber);
    findModel(parts.catalogue(), transcriber, ['transcription']);
  }
  const opened = { type, ...(model !== undefined && { model }), ...session };
  const made = await clientSecrets.make(caller, opened, after?.seconds ?? USUAL_SECONDS);
  exchange.secretAnswer = true;
  const object = type === 'realtime' ? 'realtime.session' : 'realtime.transcription_session';
  return {
    status: 200,
    body: {
      value: made.value,
      expires_at: Math.floor(made.expiresAt / 1000),
      session: { ...opened, type, object, id: `sess_${parts.randomId()}` },
    },
  };
}

/** Places are those of the session. */
function inSession<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.details.param !== 'model') throw error;
    throw new GatewayError(error.code, error.message, { ...error.details, param: 'session.model' });
  }
}

/** Makes a session ready: its vendor is asked before the client's socket is open, so that what is refused is logged with the request. */
async function accept(given: RealtimeRouteParts, request: Request, response: Response): Promise<Acceptance> {
  const { parts, authenticator } = given;
  const { exchange } = response.locals;
  const { realtimeSession: bound } = exchange;
  const transcribes = isTranscription(request, response);
  if (bound?.['model'] !== undefined && bound['model'] !== exchange.model)
    throw new GatewayError('forbidden', 'the client secret is for another model', { param: 'model' });
  const asked = exchange.knownModel ?? (bound === undefined ? undefined : realtimeEvents.viewOf(bound).transcriber);
  if (asked === undefined && transcribes) return deferred(given, response);
  admitModel(authenticator, response, asked, transcribes ? 'transcription' : 'realtime');
  let line;
  try {
    line = await lineFor(given, request, response);
  } catch (error) {
    if (!isVendors(error)) throw error;
    exchange.errorCode = error.code;
    return { open: (socket) => refusingSession(socket, error, parts.randomId()) };
  }
  const { RealtimeSession } = await import('./session.ts');
  const opened = await openedWith(given, line, transcribes);
  return {
    open: (socket) =>
      new RealtimeSession(
        socket,
        { ...opened, ...(bound !== undefined && { initial: bound }) },
        partsOf(given, response),
      ),
    discard: () => opened.line.close(),
  };
}

/** Where only transcripts are wanted the session's first update may name the model. */
async function deferred(given: RealtimeRouteParts, response: Response): Promise<Acceptance> {
  const { parts } = given;
  const { RealtimeSession } = await import('./session.ts');
  const session = { type: 'transcription', object: 'realtime.transcription_session', id: `sess_${parts.randomId()}` };
  return {
    open: (socket) => {
      const connect = async (model: string) => {
        const query = new URLSearchParams({ model, intent: 'transcription' });
        const line = await new LineRequest().open(socket.ask, withQuery(ENDPOINT, query));
        return 'error' in line ? line : openedWith(given, line, true);
      };
      return new RealtimeSession(socket, { connect, session }, partsOf(given, response));
    },
  };
}

function isTranscription({ query }: Request, { locals: { exchange } }: Response): boolean {
  return query['intent'] === 'transcription' || exchange.realtimeSession?.['type'] === 'transcription';
}

/** The vendor's side of a session, by the model and the headers of its request. */
async function lineFor({ parts }: RealtimeRouteParts, request: Request, response: Response): Promise<RealtimeLine> {
  const { exchange } = response.locals;
  const { caller } = exchange;
  const transcribes = isTranscription(request, response);
  const row = findModel(parts.catalogue(), exchange.model, [transcribes ? 'transcription' : 'realtime']);
  refuseGuarded(parts, caller, row);
  const trace = (exchange.trace = newTrace());
  const control = mediaControl(request, parts.catalogue, caller.key.group);
  return openLine(parts, { caller, row, transcribes, ...control }, trace);
}

async function openedWith(
  { parts }: RealtimeRouteParts,
  line: RealtimeLine,
  transcribes: boolean,
): Promise<OpenedSession> {
  const { lineOf } = await import('./line.ts');
  const { offer, row, asked, scrub } = line;
  return { line: await lineOf(line, asked.code, parts), offer, row, model: asked.code, transcribes, scrub };
}

function partsOf({ parts, authenticator }: RealtimeRouteParts, response: Response): SessionParts {
  const { key } = response.locals.exchange.caller;
  return {
    now: parts.now,
    randomId: parts.randomId,
    transcriberOf: (model, offer) => {
      authenticator.checkModel(key, model);
      return transcriberAt(findModel(parts.catalogue(), model, ['transcription']), offer);
    },
  };
}

/** A line that an open session asks for. */
async function giveLine(
  given: RealtimeRouteParts,
  asked: LineRequest,
  request: Request,
  response: Response,
): Promise<void> {
  asked.line = await lineFor(given, request, response);
  response.status(200).end();
}

/** Browsers do not show what a socket is refused with: what the caller can do nothing about is told over the socket. */
function isVendors(error: unknown): error is GatewayError {
  return error instanceof GatewayError && (error.code.startsWith('upstream_') || error.code === 'unavailable');
}

function refusingSession({ webSocket }: OpenSocket, error: GatewayError, id: string): SocketSession {
  webSocket.on('error', () => undefined);
  webSocket.send(JSON.stringify(realtimeEvents.errorEvent(error, `event_${id}`)));
  webSocket.close(CLOSE_FAILED, 'the vendor cannot be reached');
  return { drain: () => undefined };
}

/** A model that writes down what a session hears answers at the account of the session. */
function transcriberAt(row: ModelRow, { account }: Offer): { readonly row: ModelRow; readonly offer: Offer } {
  const offer = row.offers.find((each) => each.account.id === account.id);
  if (offer !== undefined) return { row, offer };
  throw new GatewayError(
    'invalid_request',
    `session.audio.input.transcription.model: '${row.code}' is not served by the account of the session's model`,
    { param: 'session.audio.input.transcription.model' },
  );
}

/** One turn, as a request of its own. */
async function pay(
  { parts }: RealtimeRouteParts,
  turn: RealtimeTurn,
  request: Request,
  response: Response,
): Promise<void> {
  const { exchange } = response.locals;
  const { caller } = exchange;
  const { offer, outlook, soFar, transcribes } = turn.order;
  const row = findModel(parts.catalogue(), exchange.model);
  const trace = (exchange.trace = newTrace());
  exchange.streamed = true;
  const end = await payTurn(
    parts,
    {
      ...{ caller, row, offer, endpoint: ENDPOINT, soFar, begun: turn.begun, ended: turn.ended },
      quote: transcribes === undefined ? quoteOfTurn(outlook, row) : quoteOfTranscript(transcribes, row),
      ...mediaControl(request, parts.catalogue, caller.key.group),
    },
    trace,
  );
  exchange.firstByteAt = turn.firstByteAt;
  if (end.error !== undefined) exchange.errorCode = end.error.code;
  if (end.isLeft === true) response.destroy();
  else response.status(200).end();
}
