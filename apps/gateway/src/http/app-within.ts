/**
 * Asking the app over connections within this process: for what comes over sockets, and for lines of batches. Nothing of a request's way is done a
 * second time; an answer is cut when its connection is.
 */
import {
  createServer,
  request as askOver,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { letAct, type Actor } from './exchange.ts';

/** Of what the app refused; what is longer is no error of its own. */
const LARGEST_REFUSAL = 1024 * 1024;
/** Bytes between the app and who sends its answer on. */
const PAIR_BYTES = 64 * 1024;

/** What steps of the app know a connection by. */
export type Peer = Partial<Pick<Socket, 'remoteAddress' | 'localPort'>>;

export interface RequestWithin {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

export class AppWithin {
  /** Listens to no port: it is given connections of this process. */
  readonly #server: Server;

  constructor(app: RequestListener, messages: ServerOptions) {
    this.#server = createServer({ ...messages }, app);
  }

  /** The app's answer; rejects when there is none. `opened` is told the app's end of the connection. */
  ask(
    { method, path, headers, body, signal }: RequestWithin,
    from: { readonly peer?: Peer; readonly actor?: Actor; readonly opened?: (connection: Duplex) => void } = {},
  ): Promise<IncomingMessage> {
    const [ours, theirs] = duplexPair({ highWaterMark: PAIR_BYTES });
    const { remoteAddress, localPort } = from.peer ?? {};
    Object.assign(theirs, { remoteAddress, localPort });
    if (from.actor !== undefined) letAct(theirs, from.actor);
    from.opened?.(theirs);
    // Who hangs up on one side has hung up on the other.
    ours.once('close', () => theirs.destroy());
    theirs.once('close', () => ours.destroy());
    for (const side of [ours, theirs]) side.on('error', () => undefined);
    this.#server.emit('connection', theirs);
    return new Promise((resolve, reject) => {
      const asking = askOver({ createConnection: () => ours, method, path, headers, signal });
      asking.once('response', resolve);
      asking.once('upgrade', (answer) => {
        // Not cut: the app would call its answer one that nobody waited for.
        ours.resume().end();
        resolve(answer);
      });
      asking.on('error', (error) => {
        ours.destroy();
        reject(error);
      });
      asking.end(body);
    });
  }
}

/** The error of an answer that refuses, as the app has printed it; nothing where it has printed none. */
export async function errorIn(answer: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LARGEST_REFUSAL) chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    return isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {};
  } catch {
    return {};
  }
}
