/** A gateway with a model for each of the four chat formats, named like the format, over one vendor that answers what it is told to. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DIALECT_NAMES, type ChatFormat } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';

/** What the vendor answers: pieces are written one by one, then it ends or, when cut, breaks the connection. */
export interface Script {
  readonly type: 'application/json' | 'text/event-stream';
  readonly pieces: readonly string[];
  readonly cut?: boolean;
}

const ACCOUNTS: Readonly<Record<ChatFormat, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'gemini',
};

export interface ScriptedFormats {
  readonly gateway: TestGateway;
  /** What is answered from now on. */
  script: Script;
  /** How often the vendor was asked. */
  asked: number;
  /** Lets an hour pass: cool-downs of the test before must not reach the next one. */
  passAnHour(): void;
  close(): Promise<void>;
}

/** `price` is what the models cost beside their tokens: `web_search: 0.01`. */
export async function openScriptedFormats(price = ''): Promise<ScriptedFormats> {
  let later = 0;
  const vendor = createServer((request, response) => {
    scripted.asked++;
    const { type, pieces, cut } = scripted.script;
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': type });
      for (const piece of pieces) response.write(piece);
      if (cut === true) setImmediate(() => setImmediate(() => response.destroy()));
      else response.end();
    });
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const key = 'credentials: { api_key: vendor-key-0123456789 }';
  const prices = `{ input: 1, output: 2${price === '' ? '' : `, ${price}`} }`;
  const rows = DIALECT_NAMES.map(
    (format) =>
      `  - { code: ${format}, kind: chat, price: ${prices}, offers: [{ account: ${ACCOUNTS[format]}, model: m, dialect: ${format} }] }\n`,
  );
  const gateway = await openTestGateway({
    clock: () => Date.now() + later,
    yaml: `extends: none\naccounts:
  - { id: 1, name: openai, vendor: openai, base_url: '${base}/v1', ${key} }
  - { id: 2, name: anthropic, vendor: anthropic, base_url: '${base}', ${key} }
  - { id: 3, name: gemini, vendor: gemini, base_url: '${base}', ${key} }
models:
${rows.join('')}`,
  });
  const scripted: ScriptedFormats = {
    gateway,
    script: { type: 'application/json', pieces: [] },
    asked: 0,
    passAnHour: () => void (later += 3_600_000),
    async close() {
      await gateway.close();
      vendor.closeAllConnections();
      vendor.close();
    },
  };
  return scripted;
}

/** One server-sent event. */
export function sse(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
