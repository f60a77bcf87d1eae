/** An operator's hook on a real socket: what it answers is said by the path, and what it was asked is kept. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HookQuestion {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly stage: string;
    readonly guardrail: string;
    readonly request_id: string;
    readonly model: string;
    readonly kind: string;
    readonly window?: number;
    readonly texts: readonly string[];
  };
}
export interface HookServer {
  readonly url: string;
  readonly questions: HookQuestion[];
  /** Questions that are being answered now, and the most there were at once. */
  readonly atOnce: { now: number; most: number };
  close(): Promise<void>;
}

/** What it takes for a secret. */
export const SECRET = /SECRET-[0-9]{4}-[0-9]{4}/g;

type Answer = (question: HookQuestion, response: ServerResponse) => void;
const say = (response: ServerResponse, answer: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
};

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/allow': (_question, response) => say(response, { action: 'allow' }),
  '/mask': ({ body }, response) =>
    say(response, { action: 'mask', texts: body.texts.map((text) => text.replace(SECRET, '[gone]')) }),
  '/refuse': ({ body }, response) =>
    say(
      response,
      body.texts.some((text) => text.includes('falcon'))
        ? { action: 'refuse', reason: 'no birds\nof prey' }
        : { action: 'allow' },
    ),
  '/hang': () => undefined,
  '/rubbish': (_question, response) => void response.writeHead(200).end('<html>'),
  '/shape': (_question, response) => say(response, { action: 'mask', texts: ['one', 'two', 'three', 'four'] }),
  '/word': (_question, response) => say(response, { action: 'perhaps' }),
  '/500': (_question, response) => say(response, { action: 'allow' }, 500),
  '/redirect': (_question, response) => void response.writeHead(307, { location: '/allow' }).end(),
  '/large': (_question, response) => void response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024, ' ')),
  '/cut': (_question, response) => void response.socket?.destroy(),
};

/** Starts it on a free port. */
export async function startHookServer(): Promise<HookServer> {
  const questions: HookQuestion[] = [];
  const atOnce = { now: 0, most: 0 };
  const server: Server = createServer((request, response) => {
    atOnce.now++;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    response.on('close', () => atOnce.now--);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as HookQuestion['body'];
      const question = { path: request.url ?? '', headers: request.headers, body };
      questions.push(question);
      ANSWERS[question.path]?.(question, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    atOnce,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
