/** Responses over a WebSocket: what the client asks for, one JSON text in each frame; every response is a request of its own to the app. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, isJsonObject, OPERATIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import { VendorSocketAccounts, VendorSockets, type Log } from '@model-gateway/core';
import { createSseParser, dialects, keptResponses } from '@model-gateway/translate';
import { errorIn } from '../../http/app-within.ts';
import { parseBody } from '../../http/steps/read-body.ts';
import {
  ClientSocket,
  CLOSE_GOING_AWAY,
  CLOSE_NORMAL,
  type ClientListener,
  type ClientMessage,
} from '../../http/client-socket.ts';
import type { Handlers } from '../../http/operation.ts';
import { answerUpgrade, type OpenSocket, type SocketSession } from '../../http/upgrades.ts';
import { MemoryBudget, SocketMemory } from './socket-memory.ts';

/** Bytes of responses that sockets remember, of all sockets of a process. */
const SOCKET_MEMORY = 64 * 1024 * 1024;
/** Lanes that answer or have something waiting. */
const MOST_LANES = 8;
/** What waits on all lanes; beyond it nothing is read. */
const MOST_WAITING = 16;
const LANE = /^[\w.-]{1,256}$/;

export interface ResponseSocketParts {
  readonly budget: MemoryBudget;
  readonly randomId: () => string;
  readonly now: () => number;
  /** Whose vendors may be asked over sockets, too. */
  readonly accounts: VendorSocketAccounts;
}

/** The handler of the operation that opens them. */
export function responseSocketRoutes({
  now,
  randomId,
  log,
}: Pick<ResponseSocketParts, 'randomId' | 'now'> & { readonly log: Log }): Handlers {
  const accounts = new VendorSocketAccounts({ now, log });
  const parts = { now, randomId, budget: new MemoryBudget(SOCKET_MEMORY), accounts };
  return {
    connectResponses: answerUpgrade('connectResponses', () =>
      Promise.resolve({ open: (socket) => new ResponseSocket(socket, parts) }),
    ),
  };
}

/** One `response.create` that was taken in. */
interface Asked {
  /** Undefined: no lane was named. */
  readonly lane: string | undefined;
  readonly body: JsonObject;
  /** Gives back the room that its message takes. */
  readonly release: () => void;
}

interface Lane {
  readonly waiting: Asked[];
  /** Cuts what is being answered. */
  running: AbortController | undefined;
  /** The id of what is being answered, once it is known. */
  responseId: string | undefined;
}

/** What is told as an `error` event. */
interface Refusal {
  readonly status: number;
  readonly error: JsonObject;
}

export class ResponseSocket implements SocketSession, ClientListener {
  readonly #client: ClientSocket;
  readonly #ask: OpenSocket['ask'];
  readonly #parts: ResponseSocketParts;
  readonly #memory: SocketMemory;
  readonly #vendors: VendorSockets;
  readonly #lanes = new Map<string, Lane>();
  #waiting = 0;
  /** Set once: no more is taken, and it closes after what runs. */
  #ending: { readonly code: number; readonly reason: string } | undefined;

  constructor(socket: OpenSocket, parts: ResponseSocketParts) {
    this.#ask = socket.ask;
    this.#parts = parts;
    this.#memory = new SocketMemory(parts.budget);
    this.#vendors = new VendorSockets(parts.accounts);
    this.#client = new ClientSocket(socket, this, parts.now);
  }

  drain(): void {
    this.#end(CLOSE_GOING_AWAY, 'the gateway shuts down; connect again');
  }

  isBusy(): boolean {
    return this.#lanes.size > 0;
  }

  expired(): void {
    const message = 'the connection is 60 minutes old; connect again';
    if (this.#ending === undefined)
      this.#refuse(undefined, refusal(400, 'websocket_connection_limit_reached', message));
    this.#end(CLOSE_NORMAL, message);
  }

  closed(): void {
    for (const lane of this.#lanes.values()) {
      for (const { release } of lane.waiting.splice(0)) release();
      lane.running?.abort();
    }
    this.#memory.clear();
    this.#vendors.close();
  }

  #end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#ending !== undefined && this.#lanes.size === 0)
      this.#client.close(this.#ending.code, this.#ending.reason);
  }

  async hear({ data, isBinary, keep }: ClientMessage): Promise<void> {
    try {
      const event = isBinary ? undefined : await parseBody(data);
      if (!isJsonObject(event))
        throw wrong('an event is a JSON object in a text frame, such as {"type": "response.create"}');
      const { type, stream_id: lane, ...body } = event;
      if (lane !== undefined && (typeof lane !== 'string' || !LANE.test(lane)))
        throw wrong('stream_id is 1 to 256 letters, digits and _.-', 'stream_id');
      if (type === 'response.create') this.#take(lane, body, keep);
      else if (type === 'response.cancel') this.#cancel(lane, body['response_id']);
      else this.#refuse(lane, toldOf(wrong('type must be response.create or response.cancel', 'type')));
    } catch (error) {
      this.#refuse(undefined, toldOf(error));
    }
  }

  #take(name: string | undefined, body: JsonObject, keep: ClientMessage['keep']): void {
    if (this.#ending !== undefined) {
      const { code, reason } = this.#ending;
      this.#refuse(
        name,
        code === CLOSE_NORMAL
          ? refusal(400, 'websocket_connection_limit_reached', reason)
          : refusal(503, 'unavailable', reason),
      );
      return;
    }
    if (body['background'] === true) {
      this.#refuse(name, toldOf(wrong('background works only over HTTP; leave it out', 'background')));
      return;
    }
    const known = this.#lanes.get(name ?? '');
    if (known !== undefined) {
      known.waiting.push({ lane: name, body, release: keep() });
      this.#count(1);
      return;
    }
    if (this.#lanes.size >= MOST_LANES) {
      const message = `${MOST_LANES} lanes are in use; wait for one of them`;
      this.#refuse(name, refusal(400, 'websocket_stream_limit_reached', message, 'stream_id'));
      return;
    }
    const lane: Lane = { waiting: [{ lane: name, body, release: keep() }], running: undefined, responseId: undefined };
    this.#count(1);
    this.#lanes.set(name ?? '', lane);
    void this.#run(name ?? '', lane);
  }

  #cancel(name: string | undefined, responseId: Json | undefined): void {
    const lane = this.#lanes.get(name ?? '');
    if (lane?.running === undefined || (responseId !== undefined && responseId !== lane.responseId)) {
      this.#refuse(name, refusal(404, 'response_not_found', 'no response with this id is running', 'response_id'));
      return;
    }
    lane.running.abort();
  }

  /** Answers what waits on a lane, one after another. */
  async #run(name: string, lane: Lane): Promise<void> {
    for (let asked = lane.waiting.shift(); asked !== undefined; asked = lane.waiting.shift()) {
      this.#count(-1);
      lane.running = new AbortController();
      lane.responseId = undefined;
      try {
        await this.#answer(asked, lane, lane.running.signal);
      } catch (error) {
        if (lane.running.signal.aborted)
          this.#refuse(asked.lane, refusal(400, 'response_cancelled', 'the response was cancelled'));
        else this.#refuse(asked.lane, toldOf(error));
      }
      asked.release();
      this.#client.used();
      await this.#client.taken;
    }
    this.#lanes.delete(name);
    this.#closeIfDone();
  }

  async #answer(asked: Asked, lane: Lane, signal: AbortSignal): Promise<void> {
    const { generate, ...given } = asked.body;
    const { body, previousId } = this.#memory.continued(given);
    if (generate === false) {
      this.#warmUp(asked, body, previousId);
      return;
    }
    const answer = await this.#ask({
      path: OPERATIONS.createResponse.path,
      body: Buffer.from(JSON.stringify({ ...body, stream: true })),
      context: this.#vendors.lane(asked.lane ?? ''),
      signal,
    });
    if (answer.statusCode !== 200 || !/^text\/event-stream/.test(answer.headers['content-type'] ?? '')) {
      const refused = await refusalIn(answer, given);
      // Limits and outages pass: what was said before is still good then.
      if (previousId !== undefined && AT_FAULT.has(refused.status)) this.#memory.forget(previousId);
      this.#refuse(asked.lane, refused);
      return;
    }
    const parser = createSseParser();
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      for (const { data } of parser.push(chunk)) {
        this.#tell(asked.lane, this.#shown(data, { body, previousId, lane }));
        if (this.#client.taken !== undefined) await this.#client.taken;
      }
    }
  }

  /** An event as it is told; what ends an answer is remembered. */
  #shown(
    data: string,
    {
      body,
      previousId,
      lane,
    }: { readonly body: JsonObject; readonly previousId: string | undefined; readonly lane: Lane },
  ): string {
    // The only events with a whole response in them: created, queued, in_progress, completed, incomplete, failed.
    if (!/"response": ?\{/.test(data)) return data;
    const event = JSON.parse(data) as Json;
    if (!isJsonObject(event)) return data;
    const response = keptResponses.responseIn(event);
    if (response === undefined) return data;
    const { id } = response;
    if (typeof id === 'string') lane.responseId = id;
    if (event['type'] === 'response.completed' || event['type'] === 'response.incomplete')
      this.#memory.remember(response, body);
    // A vendor that is asked over a socket, too, may have been told to go on from what it remembers.
    const said = previousId ?? body['previous_response_id'] ?? null;
    if (previousId === undefined && (response['previous_response_id'] ?? null) === said) return data;
    return JSON.stringify({ ...event, response: { ...response, previous_response_id: said } });
  }

  /** An id to go on from, by which nothing was asked of anybody. */
  #warmUp({ lane, body: given }: Asked, body: JsonObject, previousId: string | undefined): void {
    const { model } = given;
    if (typeof model !== 'string') {
      this.#refuse(lane, toldOf(wrong('model is missing', 'model')));
      return;
    }
    const at = this.#parts.now();
    const id = `resp_${this.#parts.randomId()}`;
    const bare = keptResponses.bareResponse({ body: given, model, id, at }, { status: 'in_progress' });
    const begun = { ...bare, previous_response_id: previousId ?? null };
    const done = { ...begun, status: 'completed', completed_at: Math.floor(at / 1000), store: false };
    this.#memory.remember(done, { ...body, store: false });
    this.#tell(lane, JSON.stringify({ type: 'response.created', sequence_number: 0, response: begun }));
    this.#tell(lane, JSON.stringify({ type: 'response.completed', sequence_number: 1, response: done }));
  }

  #refuse(lane: string | undefined, { status, error }: Refusal): void {
    this.#tell(lane, JSON.stringify({ type: 'error', status, error }));
  }

  #tell(lane: string | undefined, text: string): void {
    this.#client.tell(lane === undefined ? text : `${text.slice(0, -1)},"stream_id":"${lane}"}`);
  }

  /** Nothing is read while too much waits to be answered. */
  #count(more: 1 | -1): void {
    const wasFull = this.#waiting >= MOST_WAITING;
    this.#waiting += more;
    const isFull = this.#waiting >= MOST_WAITING;
    if (isFull && !wasFull) this.#client.pause();
    if (wasFull && !isFull) this.#client.resume();
  }
}

/** Statuses that say that the request itself was wrong. */
const AT_FAULT: ReadonlySet<number> = new Set([400, 404, 422]);

function refusal(status: number, code: string, message: string, param: string | null = null): Refusal {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { status, error: { type, code, message, param } };
}

function wrong(message: string, param?: string): GatewayError {
  return new GatewayError('invalid_request', message, param === undefined ? {} : { param });
}

/** Of an answer that was cut: the app has no word of it. */
function toldOf(error: unknown): Refusal {
  const known =
    error instanceof GatewayError ? error : new GatewayError('upstream_unavailable', 'the answer broke off');
  const status = known.status(false);
  const { error: body } = dialects['openai-responses'].encodeError(known, '', status);
  return { status, error: isJsonObject(body) ? body : {} };
}

/** What the app refused, as an event. */
async function refusalIn(answer: IncomingMessage, { previous_response_id: previous }: JsonObject): Promise<Refusal> {
  const status = answer.statusCode ?? 500;
  const error = await errorIn(answer);
  // The word by which clients know that they have to send the whole conversation.
  const isForgotten =
    typeof previous === 'string' && (status === 400 || status === 404) && error['param'] === 'previous_response_id';
  return {
    status: isForgotten ? 400 : status,
    error: { ...error, ...(isForgotten && { code: 'previous_response_not_found' }) },
  };
}
