/** A chat vendor in OpenAI's format whose streams go on when the test says so, and gateway processes in front of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import { LIVE_KEY, startGatewayProcess, type GatewayProcess } from '@model-gateway/testing';

export const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type Format = (typeof FORMATS)[number];

/** A streamed question in each format. */
export const ASK: Record<Format, (model: string, text: string) => readonly [string, JsonObject]> = {
  'openai-chat': (model, text) => [
    '/v1/chat/completions',
    { model, stream: true, messages: [{ role: 'user', content: text }] },
  ],
  'openai-responses': (model, text) => ['/v1/responses', { model, stream: true, input: text }],
  'anthropic-messages': (model, text) => [
    '/v1/messages',
    { model, stream: true, max_tokens: 1024, messages: [{ role: 'user', content: text }] },
  ],
  'gemini-generate': (model, text) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
};

export interface HeldStream {
  /** Sends words, each an event of its own. */
  say(...words: string[]): void;
  /** Sends bytes as they are. */
  write(text: string): void;
  /** The finish, the usage and the end. */
  finish(): void;
  /** Closes the connection. */
  cut(): void;
  /** Whether the gateway still reads. */
  isRead(): boolean;
}

export interface HeldVendor {
  readonly url: string;
  /** Bodies of requests, oldest first. */
  readonly asked: string[];
  readonly streams: HeldStream[];
  /** The stream of the next request, when it has come. */
  next(): Promise<HeldStream>;
  close(): Promise<void>;
}

/** What a whole stream is billed for. */
export const HELD_USAGE = { prompt_tokens: 21, completion_tokens: 34, total_tokens: 55 };

export async function startHeldVendor(): Promise<HeldVendor> {
  const asked: string[] = [];
  const streams: HeldStream[] = [];
  let taken = 0;
  const waiting: ((stream: HeldStream) => void)[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const stream = streamOn(response);
      stream.say('Once');
      streams.push(stream);
      const wants = waiting.shift();
      if (wants === undefined) return;
      taken++;
      wants(stream);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    streams,
    next() {
      const there = streams[taken];
      if (there === undefined) return new Promise((resolve) => waiting.push(resolve));
      taken++;
      return Promise.resolve(there);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function streamOn(response: ServerResponse): HeldStream {
  let isRead = true;
  response.on('close', () => (isRead = response.writableFinished));
  const event = (data: object): string => `data: ${JSON.stringify({ ...HEAD, ...data })}\n\n`;
  const choice = (delta: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  return {
    say: (...words) => words.forEach((content) => response.write(event(choice({ role: 'assistant', content })))),
    write: (text) => response.write(text),
    finish: () =>
      response.end(`${event(choice({}, 'stop'))}${event({ choices: [], usage: HELD_USAGE })}data: [DONE]\n\n`),
    cut: () => response.destroy(),
    isRead: () => isRead,
  };
}

const HEAD = { id: 'chatcmpl-held', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'held' };

/** The account and the row that lead to it. */
export function heldYaml({ url }: HeldVendor, more = ''): string {
  return `
security: { allow_private: ['127.0.0.1'] }
accounts: [{ name: held, vendor: openai-compatible, base_url: '${url}', credentials: { api_key: k }${more} }]
models: [{ code: held, kind: chat, limits: { max_output_tokens: 4096 }, offers: [{ account: held, model: held, dialect: openai-chat }], price: { input: 1, output: 10 } }]
`;
}

/** A vendor, and a folder from which gateway processes in front of it are started, one after another. */
export interface HeldGateway {
  readonly vendor: HeldVendor;
  readonly databaseUrl: string;
  /** The process that was started last is to be killed before the next. */
  start(env?: Readonly<Record<string, string>>): Promise<GatewayProcess>;
  close(): Promise<void>;
}

export async function openHeldGateway(): Promise<HeldGateway> {
  const vendor = await startHeldVendor();
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-held-'));
  const databaseUrl = `sqlite:${folder}/gateway.db`;
  writeFileSync(
    join(folder, 'gateway.yaml'),
    `server: { port: 0 }
database: { url: '${databaseUrl}' }
twin: { enabled: false }
files: { folder: '${folder}/files' }
keys: [{ name: harness-live, key: ${LIVE_KEY}, owner: 1 }]
extends: none
${heldYaml(vendor)}`,
  );
  let gateway: GatewayProcess | undefined;
  return {
    vendor,
    databaseUrl,
    start: async (env = {}) => (gateway = await startGatewayProcess({ folder, logLevel: 'fatal', env })),
    async close() {
      await gateway?.kill();
      await vendor.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Numbers and data of whole events, comments left out. */
export function eventsIn(text: string): { readonly id: number; readonly data: string; readonly block: string }[] {
  return text
    .split(/(?<=\n\n|\r\n\r\n)/)
    .filter((block) => /\n\r?\n$/.test(block) && block.includes('data:'))
    .map((block) => ({
      id: Number(/^id: (\d+)$/m.exec(block)?.[1] ?? Number.NaN),
      data: /^data: ([^\r\n]*)/m.exec(block)?.[1] ?? '',
      block,
    }));
}

/** A streamed answer that is read bit by bit. */
export class Reading {
  text = '';
  readonly reply: Response;
  readonly #over: AbortController;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(reply: Response, over: AbortController) {
    this.reply = reply;
    this.#over = over;
    this.#reader = reply.body!.getReader();
  }
  get id(): string {
    return this.reply.headers.get('x-gateway-stream-id') ?? '';
  }
  get events(): ReturnType<typeof eventsIn> {
    return eventsIn(this.text);
  }
  /** Reads until the text is so; to the end without it. */
  async until(isEnough: (reading: Reading) => boolean = () => false): Promise<this> {
    while (!isEnough(this)) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      this.text += Buffer.from(value).toString('utf8');
    }
    return this;
  }
  hangUp(): void {
    this.#over.abort();
  }
}

/** Opens a streamed answer and fails where it is none. */
export async function openReading(
  url: string,
  init: RequestInit & { readonly headers: Record<string, string> },
): Promise<Reading> {
  const over = new AbortController();
  const reply = await fetch(url, { ...init, signal: over.signal });
  if (reply.status !== 200) expect(await reply.text()).toBe('a stream');
  return new Reading(reply, over);
}
