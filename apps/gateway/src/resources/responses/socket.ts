/** Responses over a WebSocket: what the client asks for, one JSON text in each frame; every response is a request of its own to the app. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, isJsonObject, OPERATIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import { createSseParser, dialects, keptResponses } from '@model-gateway/translate';
import { WebSocket } from 'ws';
import { errorIn } from '../../http/app-within.ts';
import { parseBody } from '../../http/steps/read-body.ts';
import type { OpenSocket, SocketLine, SocketSession } from '../../http/upgrades.ts';
import { SocketMemory, type MemoryBudget } from './socket-memory.ts';

const MINUTE = 60_000;
/** As OpenAI's. */
const LONGEST_MS = 60 * MINUTE;
const LONGEST_IDLE_MS = 30 * MINUTE;
const PING_MS = 30_000;
/** A reader who has not taken in this time what was written is hung up on: his answers hold money and places at vendors. */
const STALLED_MS = 120_000;
/** Bytes that wait to be sent; beyond them nothing is read, neither from the client nor from vendors. */
const MOST_UNSENT = 256 * 1024;
/** Lanes that answer or have something waiting. */
const MOST_LANES = 8;
/** What waits on all lanes; beyond it nothing is read. */
const MOST_WAITING = 16;
const LANE = /^[\w.-]{1,256}$/;

/** Closing codes of RFC 6455, 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;

export interface ResponseSocketParts {
  readonly budget: MemoryBudget;
  readonly randomId: () => string;
  readonly now: () => number;
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

export class ResponseSocket implements SocketSession {
  readonly #webSocket: SocketLine;
  readonly #ask: OpenSocket['ask'];
  readonly #came: OpenSocket['came'];
  readonly #parts: ResponseSocketParts;
  readonly #memory: SocketMemory;
  readonly #lanes = new Map<string, Lane>();
  readonly #openedAt: number;
  readonly #timer: NodeJS.Timeout;
  #waiting = 0;
  #usedAt: number;
  #isAlive = true;
  #isReading = true;
  /** Set once: no more is taken, and it closes after what runs. */
  #ending: { readonly code: number; readonly reason: string } | undefined;
  #sent: Promise<void> | undefined;
  /** Large events are read in slices: in their order all the same. */
  #heard = Promise.resolve();

  constructor({ webSocket, ask, came }: OpenSocket, parts: ResponseSocketParts) {
    this.#webSocket = webSocket;
    this.#ask = ask;
    this.#came = came;
    this.#parts = parts;
    this.#memory = new SocketMemory(parts.budget);
    this.#openedAt = this.#usedAt = parts.now();
    this.#timer = setInterval(() => this.#look(), PING_MS).unref();
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      const release = this.#came();
      this.#heard = this.#heard.then(() => this.#hear(data, isBinary, release));
    });
    webSocket.on('pong', () => (this.#isAlive = true));
    // A frame that is none, or too large: it is closed with the code that says so.
    webSocket.on('error', () => undefined);
    webSocket.once('close', () => this.#closed());
  }

  drain(): void {
    this.#end(GOING_AWAY, 'the gateway shuts down; connect again');
  }

  #end(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#ending !== undefined && this.#lanes.size === 0)
      this.#webSocket.close(this.#ending.code, this.#ending.reason);
  }

  #closed(): void {
    clearInterval(this.#timer);
    for (const lane of this.#lanes.values()) {
      for (const { release } of lane.waiting.splice(0)) release();
      lane.running?.abort();
    }
    this.#memory.clear();
  }

  #look(): void {
    const now = this.#parts.now();
    if (now - this.#openedAt >= LONGEST_MS && this.#ending === undefined) {
      const message = 'the connection is 60 minutes old; connect again';
      this.#refuse(undefined, refusal(400, 'websocket_connection_limit_reached', message));
      this.#end(NORMAL, message);
      return;
    }
    if (this.#lanes.size === 0 && now - this.#usedAt >= LONGEST_IDLE_MS) {
      this.#end(NORMAL, 'nothing was asked for 30 minutes');
      return;
    }
    // While nothing is read, its pong is not either.
    if (!this.#isAlive && this.#isReading) this.#webSocket.terminate();
    else if (this.#isReading) {
      this.#isAlive = false;
      this.#webSocket.ping();
    }
  }

  async #hear(data: Buffer, isBinary: boolean, release: () => void): Promise<void> {
    this.#usedAt = this.#parts.now();
    this.#isAlive = true;
    let isTaken = false;
    try {
      const event = isBinary ? undefined : await parseBody(data);
      if (!isJsonObject(event))
        throw wrong('an event is a JSON object in a text frame, such as {"type": "response.create"}');
      const { type, stream_id: lane, ...body } = event;
      if (lane !== undefined && (typeof lane !== 'string' || !LANE.test(lane)))
        throw wrong('stream_id is 1 to 256 letters, digits and _.-', 'stream_id');
      if (type === 'response.create') isTaken = this.#take({ lane, body, release });
      else if (type === 'response.cancel') this.#cancel(lane, body['response_id']);
      else this.#refuse(lane, toldOf(wrong('type must be response.create or response.cancel', 'type')));
    } catch (error) {
      this.#refuse(undefined, toldOf(error));
    }
    if (!isTaken) release();
  }

  /** Whether it waits to be answered now. */
  #take(asked: Asked): boolean {
    const { lane: name, body } = asked;
    if (this.#ending !== undefined) {
      const { code, reason } = this.#ending;
      this.#refuse(
        name,
        code === NORMAL
          ? refusal(400, 'websocket_connection_limit_reached', reason)
          : refusal(503, 'unavailable', reason),
      );
      return false;
    }
    if (body['background'] === true) {
      this.#refuse(name, toldOf(wrong('background is for requests over HTTP; leave it out', 'background')));
      return false;
    }
    const known = this.#lanes.get(name ?? '');
    if (known !== undefined) {
      known.waiting.push(asked);
      this.#waiting++;
      this.#readOrNot();
      return true;
    }
    if (this.#lanes.size >= MOST_LANES) {
      const message = `${MOST_LANES} lanes are in use; wait for one of them`;
      this.#refuse(name, refusal(400, 'websocket_stream_limit_reached', message, 'stream_id'));
      return false;
    }
    const lane: Lane = { waiting: [asked], running: undefined, responseId: undefined };
    this.#waiting++;
    this.#lanes.set(name ?? '', lane);
    void this.#run(name ?? '', lane);
    return true;
  }

  #cancel(name: string | undefined, responseId: Json | undefined): void {
    const lane = this.#lanes.get(name ?? '');
    if (lane?.running === undefined || (responseId !== undefined && responseId !== lane.responseId)) {
      this.#refuse(name, refusal(404, 'response_not_found', 'there is no such response under way', 'response_id'));
      return;
    }
    lane.running.abort();
  }

  /** Answers what waits on a lane, one after another. */
  async #run(name: string, lane: Lane): Promise<void> {
    for (let asked = lane.waiting.shift(); asked !== undefined; asked = lane.waiting.shift()) {
      this.#waiting--;
      this.#readOrNot();
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
      this.#usedAt = this.#parts.now();
      await this.#sent;
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
        if (this.#sent !== undefined) await this.#sent;
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
    if (previousId === undefined) return data;
    return JSON.stringify({ ...event, response: { ...response, previous_response_id: previousId } });
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
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const event = lane === undefined ? text : `${text.slice(0, -1)},"stream_id":"${lane}"}`;
    if (this.#sent !== undefined || this.#webSocket.bufferedAmount + event.length <= MOST_UNSENT) {
      this.#webSocket.send(event);
      return;
    }
    const stalled = setTimeout(() => this.#webSocket.terminate(), STALLED_MS).unref();
    this.#sent = new Promise((resolve) => {
      this.#webSocket.send(event, () => {
        clearTimeout(stalled);
        this.#sent = undefined;
        resolve();
        this.#readOrNot();
      });
    });
    this.#readOrNot();
  }

  /** Nothing is read while too much waits to be answered, or to be taken by the client. */
  #readOrNot(): void {
    const isReading = this.#sent === undefined && this.#waiting < MOST_WAITING;
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    this.#isAlive = true;
    if (isReading) this.#webSocket.resume();
    else this.#webSocket.pause();
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
