/** A vendor that keeps every request as it came, and answers what the test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
export interface Answer {
  readonly status?: number;
  readonly type: 'application/json' | 'text/event-stream' | 'audio/mpeg';
  readonly body: string | Buffer;
  /** The next time as usual. */
  readonly once?: true;
}
export interface RecordingVendor {
  readonly url: string;
  /** By the number in `x_case` of the body. */
  readonly arrived: Map<number, Arrived>;
  /** How often each came. */
  readonly asked: Map<number, number>;
  /** What a request with that number is answered; absent: `usual`. */
  readonly answers: Map<number, Answer>;
  /** How all others are answered. */
  usual: (path: string, body: string) => Answer;
  close(): Promise<void>;
}

const CASE = /"x_case": ?(\d+)/;

export async function startRecordingVendor(usual: RecordingVendor['usual']): Promise<RecordingVendor> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const text = body.toString();
      const path = request.url ?? '';
      const number = Number(CASE.exec(text)?.[1] ?? -1);
      vendor.asked.set(number, (vendor.asked.get(number) ?? 0) + 1);
      vendor.arrived.set(number, { path, headers: request.headers, body });
      const answer = vendor.answers.get(number) ?? vendor.usual(path, text);
      if (answer.once === true) vendor.answers.delete(number);
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const vendor: RecordingVendor = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: new Map(),
    asked: new Map(),
    answers: new Map(),
    usual,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return vendor;
}
