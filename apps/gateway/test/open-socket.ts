/** A WebSocket of a test, and what came over it. */
import { STATUS_CODES } from 'node:http';
import type { JsonObject } from '@model-gateway/contracts';
import { until } from '@model-gateway/testing';
import { WebSocket } from 'ws';

export interface TestSocket {
  readonly webSocket: WebSocket;
  /** Events that have come, oldest first. */
  readonly events: JsonObject[];
  /** The code that it was closed with. */
  readonly closed: () => number | undefined;
  send(event: JsonObject): void;
  /** Everything up to the next event of which this is true, which is the last of it; what came before is not looked at again. */
  until(isLast: (event: JsonObject) => boolean): Promise<JsonObject[]>;
  close(): Promise<void>;
}

export interface Refused {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Opens one; rejects with what was answered instead, as `Refused`. */
export async function openSocket(
  url: string,
  headers: Readonly<Record<string, string>>,
  path = '/v1/responses',
  protocols: readonly string[] = [],
): Promise<TestSocket> {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}${path}`, [...protocols], { headers });
  const events: JsonObject[] = [];
  let code: number | undefined;
  let read = 0;
  webSocket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as JsonObject));
  webSocket.on('close', (given: number) => (code = given));
  await new Promise<void>((resolve, reject) => {
    webSocket.once('open', () => resolve());
    webSocket.once('error', reject);
    webSocket.once(
      'unexpected-response',
      (_request: unknown, response: AsyncIterable<Buffer> & { statusCode: number; headers: Refused['headers'] }) => {
        void (async () => {
          let text = '';
          for await (const chunk of response) text += chunk.toString();
          const { statusCode: status, headers } = response;
          reject(Object.assign(new Error(STATUS_CODES[status]), { status, text, headers }));
        })();
      },
    );
  });
  webSocket.on('error', () => undefined);
  return {
    webSocket,
    events,
    closed: () => code,
    send: (event) => webSocket.send(JSON.stringify(event)),
    async until(isLast) {
      const end = (): number => events.findIndex((event, index) => index >= read && isLast(event));
      await until(() => end() >= 0);
      const found = events.slice(read, end() + 1);
      read += found.length;
      return found;
    },
    async close() {
      webSocket.close();
      await until(() => code !== undefined);
    },
  };
}

/** Whether an event is the last of an answer. */
export function isEnd({ type }: JsonObject): boolean {
  return (
    type === 'response.completed' || type === 'response.failed' || type === 'response.incomplete' || type === 'error'
  );
}
