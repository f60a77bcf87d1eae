/** What the readers of Google's streams make of ours: the newest SDK, and those that read nothing but one `data:` line after the other. */
import { GoogleGenAI } from '@google/genai';
import { expect, it } from 'vitest';
import { GatewayError } from '@model-gateway/contracts';
import type { ChatEvent } from '../conversation.ts';
import { contextOf, encodeEvents, eventsOf, NO_REQUEST } from '../laws.ts';
import { createSseParser } from '../shared/sse.ts';
import { jsonPieces } from './forward.ts';
import { geminiGenerate } from './index.ts';

const context = contextOf(NO_REQUEST);
const [START, ...REST] = eventsOf({ choices: [{ parts: [{ type: 'text', text: 'xy' }], stop: 'stop' }] });
const BROKEN: ChatEvent = { type: 'error', error: { code: 'upstream_unavailable', message: 'gone' } };
const encode = (...events: (ChatEvent | undefined)[]): string =>
  encodeEvents(
    geminiGenerate,
    events.filter((event) => event !== undefined),
    context,
  );

async function sdkText(sse: string): Promise<string> {
  const fetch = async () => new Response(sse, { headers: { 'content-type': 'text/event-stream' } });
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { fetch } });
  let text = '';
  for await (const each of await client.models.generateContentStream({ model: 'm', contents: 'q' })) {
    text += each.text ?? '';
  }
  return text;
}

/** As @google/generative-ai, Genkit and @google/genai 1 read: what is left over at the end is a failure. */
function plainText(sse: string): string {
  let rest = sse;
  let text = '';
  for (let event = /^data: (.*)\n\n/.exec(rest); event !== null; event = /^data: (.*)\n\n/.exec(rest)) {
    const { candidates = [] } = JSON.parse(event[1] ?? '') as {
      candidates?: { content: { parts: { text: string }[] } }[];
    };
    for (const { content } of candidates) text += content.parts.map((part) => part.text).join('');
    rest = rest.slice(event[0].length);
  }
  if (rest.trim() !== '') throw new Error(rest);
  return text;
}

it('nothing stands between two fragments when the vendor pings', async () => {
  const sse = encode(START, { type: 'ping' }, ...REST);
  expect(plainText(sse)).toBe('xy');
  expect(await sdkText(sse)).toBe('xy');
});

it('nothing stands there either when nothing has come for a while', () => {
  const encoder = geminiGenerate.streamEncoder(context);
  const sse = [START, ...REST].map((event) => encoder.keepAlive() + (event === undefined ? '' : encoder.push(event)));
  expect(plainText(sse.join(''))).toBe('xy');
});

it.each([
  { name: 'of the vendor', sse: encode(START, ...REST.slice(0, 2), BROKEN) },
  {
    name: 'of the gateway',
    sse: geminiGenerate.errorEvent(new GatewayError('upstream_unavailable', 'gone'), 'req_1'),
  },
])('an error $name is heard by every reader', async ({ sse }) => {
  const told = { error: { message: 'gone', status: 'UNAVAILABLE' } };
  expect(() => plainText(sse)).toThrow('"message":"gone"');
  await expect(sdkText(sse)).rejects.toThrow('gone');
  // Readers of events hear it once.
  const parser = createSseParser();
  const events = [...parser.push(Buffer.from(sse)), ...parser.end()].map(({ data }) => JSON.parse(data) as unknown);
  expect(events.slice(-1)).toMatchObject([told]);
  expect(events.filter((event) => 'error' in (event as object))).toHaveLength(1);
  // So do those of the array that the wire is without `alt=sse`.
  const pieces = jsonPieces();
  const array = JSON.parse(pieces.push(sse) + pieces.end()) as unknown[];
  expect(array).toEqual(events);
});
