/** On the same dialect what a client sends arrives, and what a vendor answers comes back: byte for byte, but for `spec/pass-through-exceptions.yaml`. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatFormat, JsonObject } from '@model-gateway/contracts';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { parse } from 'yaml';
import { startRecordingVendor, type RecordingVendor } from './pass-through/recording-vendor.ts';
import { EXCEPTED, optionalMembersOf, samplesOf, type Sample } from './pass-through/samples.ts';
import {
  chatReply,
  contents,
  REFUSALS,
  COUNTS,
  STRANGE_EVENTS,
  STRANGERS,
  STREAMED,
  usage,
  WIRES,
  type Wire,
} from './pass-through/wires.ts';

/** A gateway that keeps answers. */
const openKeeping = (): Promise<TestGateway> =>
  openTestGateway({
    owners: 'one',
    env: { GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    yaml: configOf(),
  });

let vendor: RecordingVendor;
let gateway: TestGateway;
let cases = 0;

/** One account for each vendor, and for each wire a model that has its name. */
function configOf(): string {
  const accountOf = (id: number, name: string, kind: string, base: string): string =>
    `  - { id: ${id}, name: ${name}, vendor: ${kind}, base_url: '${vendor.url}${base}', credentials: { api_key: vendor-key-0123456789 } }`;
  const modelOf = (dialect: string, account: string, code = dialect): string =>
    `  - { code: ${code}, kind: chat, price: { input: 1, output: 2 }, limits: { max_input_tokens: 100000, max_output_tokens: 10000 },
      offers: [{ account: ${account}, model: ${dialect}, dialects: [${dialect}] }] }`;
  return `extends: none\naccounts:
${[accountOf(1, 'openai', 'openai', '/v1'), accountOf(2, 'anthropic', 'anthropic', ''), accountOf(3, 'gemini', 'gemini', '')].join('\n')}
models:
${[modelOf('openai-chat', 'openai'), modelOf('openai-responses', 'openai'), modelOf('anthropic-messages', 'anthropic'), modelOf('gemini-generate', 'gemini'), modelOf('gemini-generate', 'gemini', 'a-code-of-ours')].join('\n')}`;
}

beforeAll(async () => {
  vendor = await startRecordingVendor((path, body) => answerOf(path, body));
  gateway = await openTestGateway({ owners: 'one', yaml: configOf() });
}, 60_000);
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

function answerOf(path: string, body: string): { type: 'application/json' | 'text/event-stream'; body: string } {
  const count = COUNTS.find((each) => path.startsWith(each.path));
  if (count !== undefined) return { type: 'application/json', body: JSON.stringify(count.reply) };
  const wire = WIRES.find((each) => path === each.path || path === each.streamPath) ?? WIRES[0]!;
  const isStream = path.includes('stream') || /"stream": ?true/.test(body);
  if (!isStream) return { type: 'application/json', body: JSON.stringify(wire.reply) };
  return { type: 'text/event-stream', body: streamOf(wire, []) };
}

const nameOf = ({ type }: JsonObject): string => (typeof type === 'string' ? `event: ${type}\n` : '');
const eventOf = (data: JsonObject): string => `${nameOf(data)}data: ${JSON.stringify(data)}\n\n`;
function streamOf(wire: Wire, events: readonly JsonObject[]): string {
  return [...wire.begin, ...events, ...wire.end].map(eventOf).join('') + (wire.done ?? '');
}

interface Came {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function post(path: string, body: string, headers: Record<string, string> = {}, at = gateway): Promise<Came> {
  const reply = await fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${at.liveKey}`, 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
}

/** What did not arrive as it was sent, one line each. */
async function lostOf(
  { dialect, path, base }: Pick<Wire, 'dialect' | 'path' | 'base'>,
  all: readonly Sample[],
  textOf: (body: JsonObject) => string = JSON.stringify,
): Promise<string[]> {
  const lost: string[] = [];
  const samples = all.filter((sample) => !Object.values(EXCEPTED).some((isOne) => isOne(dialect, sample)));
  await inParallel(samples, async ({ place, value }) => {
    const number = cases++;
    const sent = textOf({ ...base, ...withoutNothing(value as JsonObject), x_case: number });
    const { status, body } = await post(path, sent);
    const came = vendor.arrived.get(number)?.body.toString();
    vendor.arrived.delete(number);
    if (came === sent && status === 200) return;
    lost.push(
      `${place}: ${came === undefined ? `${status} ${body}` : came === sent ? `${status} ${body}` : difference(sent, came)}`,
    );
  });
  return lost;
}

/** A conversation of nothing is the vendor's to refuse; all others have one. */
function withoutNothing(body: JsonObject): JsonObject {
  const entries = Object.entries(body).filter(
    ([name, value]) => !(['messages', 'contents'].includes(name) && Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries);
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Where two texts part. */
function difference(sent: string, came: string): string {
  let at = 0;
  while (at < sent.length && sent[at] === came[at]) at++;
  return `sent …${sent.slice(Math.max(0, at - 30), at + 80)}, came …${came.slice(Math.max(0, at - 30), at + 80)}`;
}

/** Of each member of a type one sample. */
function firstOfEachMember(name: string): readonly Sample[] {
  const firsts = new Map<string, Sample>();
  for (const sample of samplesOf(name)) {
    const [member = ''] = sample.place.split(/[.[(=]/, 1);
    // The longest has most in it.
    const found = firsts.get(member);
    if (found === undefined || JSON.stringify(sample.value).length > JSON.stringify(found.value).length)
      firsts.set(member, sample);
  }
  return [...firsts.values()];
}

/** The same with a member that nobody knows in every object. */
function withStrangers<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withStrangers) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, withStrangers(inner)]);
  return { ...Object.fromEntries(members), x_unknown: { list: [1, null, 'é'] } } as Value;
}
function strangersIn(samples: readonly Sample[]): readonly Sample[] {
  return samples
    .filter((_, index) => index % 10 === 0)
    .map(({ place, value }) => ({ place: `${place} with strangers`, value: withStrangers(value) }));
}

/** What would be no answer at all has one. */
function whole({ reply }: Pick<Wire, 'reply'>, value: Sample['value']): JsonObject {
  const given = Object.entries(value as JsonObject).filter(([, each]) => !(Array.isArray(each) && each.length === 0));
  return { ...reply, ...Object.fromEntries(given) };
}

/** What did not come back as the vendor answered it, one line each. */
async function lostAnswers(
  { dialect, path, base }: Pick<Wire, 'dialect' | 'path' | 'base'>,
  samples: readonly Sample[],
): Promise<string[]> {
  const lost: string[] = [];
  await inParallel(samples, async ({ place, value }) => {
    const number = cases++;
    const text = JSON.stringify(value);
    vendor.answers.set(number, { type: 'application/json', body: text });
    const { status, body } = await post(path, JSON.stringify({ ...base, x_case: number }));
    const came = dialect === 'openai-responses' ? withoutOurNames(body) : body;
    if (status !== 200 || came !== (dialect === 'openai-responses' ? JSON.stringify(value) : text))
      lost.push(`${place}: ${status === 200 ? difference(text, came) : `${status} ${body}`}`);
  });
  return lost;
}

/** Events go many to a stream. */
const EVENTS_OF_A_STREAM = 40;

async function lostEvents(wire: Wire, samples: readonly Sample[]): Promise<string[]> {
  const lost: string[] = [];
  const streams = Array.from({ length: Math.ceil(samples.length / EVENTS_OF_A_STREAM) }, (_, index) =>
    samples.slice(index * EVENTS_OF_A_STREAM, (index + 1) * EVENTS_OF_A_STREAM),
  );
  await inParallel(streams, async (events) => {
    const number = cases++;
    const text = streamOf(
      wire,
      events.map(({ value }) => value as JsonObject),
    );
    vendor.answers.set(number, { type: 'text/event-stream', body: text });
    const sent = JSON.stringify({ ...wire.base, ...STREAMED[wire.dialect], x_case: number });
    const { status, body } = await post(wire.streamPath, sent);
    const came =
      wire.dialect === 'openai-responses'
        ? body.replaceAll(/^data: (.*)$/gm, (_, data: string) => `data: ${withoutOurNames(data)}`)
        : body;
    if (status !== 200 || came !== text)
      lost.push(`${events[0]?.place ?? ''}…: ${status === 200 ? difference(text, came) : `${status} ${body}`}`);
  });
  return lost;
}

const OURS = ['prompt_tokens', 'completion_tokens', 'prompt_tokens_details', 'completion_tokens_details'] as const;
/** The exception `responses-usage`: names that the gateway adds. */
function withoutOurNames(text: string): string {
  const clean = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('usage' in value)) return value;
    const { usage: reported } = value as { readonly usage: unknown };
    if (typeof reported !== 'object' || reported === null) return value;
    const left = Object.fromEntries(Object.entries(reported).filter(([name]) => !OURS.some((each) => each === name)));
    return { ...value, usage: left };
  };
  const data = JSON.parse(text) as JsonObject;
  return JSON.stringify('response' in data ? { ...data, response: clean(data['response']) } : clean(data));
}

/** Failures end a stream: they have tests of their own. */
function isFailure(event: JsonObject): boolean {
  const { type, response: inner, error } = event;
  if (type === 'error' || (error !== undefined && error !== null)) return true;
  return typeof inner === 'object' && inner !== null && 'error' in inner && inner['error'] !== null;
}

describe.each(WIRES)('$dialect, requests', (wire) => {
  it.each(wire.requests)('every member and alternative of %s arrives', async (name) => {
    expect(await lostOf(wire, samplesOf(name))).toEqual([]);
  });

  it.each(wire.requests)('null for every member of %s that may be left out arrives', async (name) => {
    const samples = optionalMembersOf(name).map((member): Sample => ({ place: member, value: { [member]: null } }));
    expect(await lostOf(wire, samples)).toEqual([]);
  });

  it('a streamed one arrives', async () => {
    const [name = ''] = wire.requests;
    const base = wire.dialect === 'gemini-generate' ? wire.base : { ...wire.base, ...STREAMED[wire.dialect] };
    expect(await lostOf({ ...wire, path: wire.streamPath, base }, firstOfEachMember(name))).toEqual([]);
  });

  it('members that nobody knows arrive, at every place of every member', async () => {
    const strange = wire.requests.flatMap((name) =>
      firstOfEachMember(name).map(({ place, value }): Sample => ({ place, value: withStrangers(value as JsonObject) })),
    );
    expect(await lostOf(wire, strange)).toEqual([]);
  });

  it('parts, tools, roles and words that nobody knows arrive', async () => {
    const samples = STRANGERS[wire.dialect].map((value, index): Sample => ({ place: `stranger ${index}`, value }));
    expect(await lostOf(wire, samples)).toEqual([]);
  });

  it('bytes arrive as they were written', async () => {
    const odd = String.raw`"x_odd":{"a":1.0,"b":1e2,"c":-0,"d":12345678901234567890,"e":"\u00e9\ud83d\ude00\/","f":"é "},`;
    const samples: Sample[] = [{ place: 'odd', value: {} }];
    const lost = await lostOf(
      wire,
      samples,
      (body) => `\r\n{ ${odd}\t${JSON.stringify(body, undefined, 3).slice(1)}\n`,
    );
    expect(lost).toEqual([]);
  });
});
describe.each(COUNTS)('$path', (count) => {
  it.each(count.requests)('every member and alternative of %s arrives', async (name) => {
    expect(await lostOf(count, samplesOf(name))).toEqual([]);
  });

  it.each(count.replies)('every member and alternative of %s comes back', async (name) => {
    expect(await lostAnswers(count, [...samplesOf(name), ...strangersIn(samplesOf(name))])).toEqual([]);
  });
});

describe.each(WIRES)('$dialect, answers', (wire) => {
  it.each(wire.replies)('every member and alternative of %s comes back, and what nobody knows', async (name) => {
    const samples = samplesOf(name).map(({ place, value }): Sample => ({ place, value: whole(wire, value) }));
    expect(await lostAnswers(wire, [...samples, ...strangersIn(samples)])).toEqual([]);
  });

  it.each(wire.events)(
    'every member and alternative of %s comes back in a stream, and what nobody knows',
    async (name) => {
      const samples = samplesOf(name).filter(({ value }) => !isFailure(value as JsonObject));
      expect(await lostEvents(wire, [...samples, ...strangersIn(samples), ...STRANGE_EVENTS])).toEqual([]);
    },
  );
});

/** Headers of the vendors' own APIs, by wire. */
const HEADERS: Readonly<Record<ChatFormat, Readonly<Record<string, string>>>> = {
  'openai-chat': {
    'openai-beta': 'assistants=v2, x-unknown=v9',
    'x-client-request-id': 'mine 1',
    'x-grok-conv-id': 'c',
  },
  'openai-responses': { 'openai-beta': 'responses_multi_agent=v1', 'x-client-request-id': 'mine-1' },
  'anthropic-messages': { 'anthropic-version': '2030-01-01', 'anthropic-beta': 'x-unknown-2030-01-01' },
  'gemini-generate': { 'x-goog-api-client': 'google-genai-sdk/9', 'x-server-timeout': '60' },
};
const OTHER_ACCOUNTS = {
  'openai-organization': 'org-1',
  'openai-project': 'proj_1',
  'anthropic-workspace-id': 'wrkspc_1',
  'x-goog-user-project': 'project-1',
};

describe.each([...WIRES, ...COUNTS])('$path, headers', ({ dialect, path, base }) => {
  const heardWith = async (headers: Record<string, string>) => {
    const number = cases++;
    const came = await post(path, JSON.stringify({ ...base, x_case: number }), headers);
    return { came, heard: vendor.arrived.get(number)?.headers ?? {} };
  };

  it('of the vendor’s API arrive, whatever their values', async () => {
    const { came, heard } = await heardWith(HEADERS[dialect]);
    expect(came.status).toBe(200);
    expect(heard).toMatchObject(HEADERS[dialect]);
    expect(came.headers.has('x-gateway-dropped')).toBe(false);
  });

  it('with every beta that the SDK knows arrive, at the usual price', async () => {
    if (dialect !== 'anthropic-messages') return;
    const betas = samplesOf('AnthropicBeta').map(({ value }) => String(value).replaceAll(' ', '-'));
    const { came, heard } = await heardWith({ 'anthropic-beta': betas.join(',') });
    expect(came.status).toBe(200);
    expect(heard['anthropic-beta']).toBe(betas.join(','));
  });

  it('that name another account do not arrive and are named; credentials do not and are not', async () => {
    const { came, heard } = await heardWith({ ...OTHER_ACCOUNTS, cookie: 'a=b', 'x-api-key': gateway.liveKey });
    expect(came.status).toBe(200);
    expect(came.headers.get('x-gateway-dropped')).toBe(Object.keys(OTHER_ACCOUNTS).join(', '));
    expect(Object.keys(heard)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^cookie|organization|project/)]),
    );
    expect(JSON.stringify(heard)).not.toContain(gateway.liveKey);
  });
});

describe('refusals', () => {
  const refused = async (dialect: ChatFormat, answer: { status?: number; body: JsonObject | string }, more = {}) => {
    const wire = WIRES.find((each) => each.dialect === dialect)!;
    const number = cases++;
    const isText = typeof answer.body === 'string';
    vendor.answers.set(number, {
      type: isText ? 'text/event-stream' : 'application/json',
      body: isText ? (answer.body as string) : JSON.stringify(answer.body),
      ...(answer.status !== undefined && { status: answer.status }),
    });
    const { status, body } = await post(wire.path, JSON.stringify({ ...wire.base, ...more, x_case: number }));
    return { status, body, asked: vendor.asked.get(number) };
  };

  it.each(REFUSALS)('of %s keep what it adds', async (_, dialect, status, body, expected) => {
    const answer = await refused(dialect, { status, body });
    expect(answer).toMatchObject({ status: 400, asked: 1 });
    expect(JSON.parse(answer.body)).toMatchObject(expected);
    expect(answer.body).not.toMatch(/user_1|projects\/1/);
  });

  it.each([404, 409, 422])('with %s is asked once', async (status) => {
    expect((await refused('openai-chat', { status, body: { error: { message: 'no', x: 1 } } })).asked).toBe(1);
  });

  it('of the gateway’s own key, told as a bad request, is none of the caller’s', async () => {
    const body = { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***12.' };
    const answer = await refused('openai-chat', { status: 400, body });
    expect(answer.status).toBe(500);
    expect(answer.body).not.toMatch(/xa\*\*\*|invalid argument/);
  });

  it.each([
    ['an object', 'data: {"error":{"message":"broke","code":500}}\n\n', 1],
    ['a sentence', 'data: {"error":"broke"}\n\n', 1],
    ['vLLM’s', 'data: {"object":"error","message":"broke","code":500}\n\n', 1],
    ['a line of llama.cpp’s', 'error: {"code":500,"message":"broke","type":"server_error"}\n\n', 2],
  ])('in the middle of a stream, as %s, is the last event', async (_, event, mentions) => {
    const [wire] = WIRES as [Wire];
    const begin = wire.begin.map(eventOf).join('');
    const { status, body } = await refused('openai-chat', { body: begin + event }, { stream: true });
    expect(status).toBe(200);
    expect(body.startsWith(begin + event)).toBe(true);
    expect(body.match(/broke/g)).toHaveLength(mentions);
    // Whoever reads the stream hears of it once.
    expect(body.match(/^data: .*broke/gm)).toHaveLength(1);
    expect(body).not.toContain('in the middle of its answer');
  });
});

describe('the exceptions', () => {
  it('stream-usage: a vendor that knows no such option is asked without it', async () => {
    const [wire] = WIRES as [Wire];
    const number = cases++;
    const refusal = {
      error: { message: 'Unrecognized request argument supplied: stream_options', type: 'invalid_request_error' },
    };
    vendor.answers.set(number, { type: 'application/json', status: 400, body: JSON.stringify(refusal), once: true });
    const sent = JSON.stringify({ ...wire.base, stream: true, x_case: number });
    const { status, body } = await post(wire.path, sent);
    expect([status, body]).toEqual([200, streamOf(wire, [])]);
    expect(vendor.arrived.get(number)?.body.toString()).toBe(sent);
    expect(vendor.asked.get(number)).toBe(2);
  });

  const listed = parse(
    readFileSync(new URL('../../../spec/pass-through-exceptions.yaml', import.meta.url), 'utf8'),
  ) as readonly { readonly id: string; readonly reason: string }[];

  it('are twenty at most, each with a reason, and those that are tried here are among them', () => {
    expect(listed.length).toBeLessThanOrEqual(20);
    expect(listed.filter(({ reason }) => reason.length < 20)).toEqual([]);
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(EXCEPTED)));
  });

  it('model: what a counting call of Google’s wraps is renamed, too, or Google refuses it', async () => {
    const number = cases++;
    const wrapped = { model: 'models/a-code-of-ours', contents };
    const path = '/v1beta/models/a-code-of-ours:countTokens';
    const { status } = await post(path, JSON.stringify({ generateContentRequest: wrapped, x_case: number }));
    expect(status).toBe(200);
    expect(JSON.parse(vendor.arrived.get(number)?.body.toString() ?? '')).toEqual({
      generateContentRequest: { ...wrapped, model: 'models/gemini-generate' },
      x_case: number,
    });
  });

  it('kept-responses: a vendor is told to keep nothing, and hears all else as it was written', async () => {
    const keeping = await openKeeping();
    try {
      const { path, base } = WIRES[1]!;
      const added = /,"store":false\}$/;
      const samples = [
        ...firstOfEachMember('Response').map(({ value }) => value as JsonObject),
        ...STRANGERS['openai-responses'],
      ];
      for (const value of samples) {
        const number = cases++;
        const sent = JSON.stringify({ ...base, ...value, x_case: number, x_odd: '1.0' }).replace('"1.0"', '1.0');
        if (value['background'] === true) continue;
        const { status, body } = await post(path, sent, {}, keeping);
        const came = vendor.arrived.get(number)?.body.toString() ?? '';
        expect([status, body]).toEqual([200, expect.anything()]);
        const expected = JSON.parse(sent) as JsonObject;
        const reasons = expected['reasoning'] !== undefined && expected['reasoning'] !== null;
        if (reasons || 'store' in value) {
          const { include: _include, store, ...rest } = JSON.parse(came) as JsonObject;
          const { include: _own, store: _asked, ...asked } = expected;
          expect([store, rest]).toEqual([false, asked]);
        } else expect(came.replace(added, '}')).toBe(sent);
      }
    } finally {
      await keeping.close();
    }
  });

  it('kept-completions: a vendor is not told of what the gateway keeps, and hears all else byte for byte', async () => {
    const keeping = await openKeeping();
    try {
      const { path, base } = WIRES[0]!;
      const send = async (more: JsonObject): Promise<string> => {
        const number = cases++;
        const sent = JSON.stringify({ x_case: number, ...more, ...base, x_odd: '1.0' }).replace('"1.0"', '1.0');
        expect((await post(path, sent, {}, keeping)).status).toBe(200);
        expect(vendor.arrived.get(number)?.body.toString()).toBe(
          more['store'] === true ? sent.replace(/"store":true,"metadata":\{[^}]*\},/, '') : sent,
        );
        return sent;
      };
      expect(await send({ store: true, metadata: { a: 'b' } })).toContain('"store":true');
      await send({ store: false });
      await send({ store: null, metadata: { a: 'b' } });
    } finally {
      await keeping.close();
    }
  });

  it('stream-usage: usage is asked for where the client does not, and its chunk is taken out again', async () => {
    const [wire] = WIRES as [Wire];
    const chunk = { ...chatReply, object: 'chat.completion.chunk' };
    const spent = { ...chunk, choices: [], usage };
    const ends = { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const number = cases++;
    const events = [...wire.begin, ends].map(eventOf).join('');
    vendor.answers.set(number, { type: 'text/event-stream', body: `${events}${eventOf(spent)}data: [DONE]\n\n` });
    const options = { include_obfuscation: false };
    const sent = { ...wire.base, stream: true, stream_options: options, x_case: number };
    const { body } = await post(wire.path, JSON.stringify(sent));
    expect(body).toBe(`${events}data: [DONE]\n\n`);
    expect(vendor.arrived.get(number)?.body.toString()).toBe(
      JSON.stringify({ ...sent, stream_options: { ...options, include_usage: true } }),
    );
  });
});
