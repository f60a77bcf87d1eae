/** The same requests to another gateway and to this one: what callers would notice. */
import { isJsonObject, OPERATIONS, type Json, type JsonObject } from '@model-gateway/contracts';
import { numberIn, objectIn, objectsIn, textIn } from './draft.ts';

/** A gateway that speaks OpenAI's wire. */
export interface Side {
  /** Without `/v1`. */
  readonly url: string;
  readonly key: string;
}

export interface ComparedModel {
  readonly code: string;
  readonly kind: string;
}

export interface Difference {
  /** `smart, stream`: the model, and what was asked of it. */
  readonly where: string;
  readonly what:
    | 'status'
    | 'error'
    | 'text'
    | 'finish_reason'
    | 'tool_calls'
    | 'usage'
    | 'members'
    | 'cost'
    | 'vectors';
  readonly theirs: string;
  readonly ours: string;
}

export interface Comparison {
  readonly requests: number;
  readonly differences: readonly Difference[];
  /** What both refused, though it is a good request: nothing was compared there. */
  readonly refused: readonly string[];
  /** The median time to a whole answer, milliseconds. */
  readonly ms: { readonly theirs: number; readonly ours: number };
  /** US dollars of what both told; undefined where one of them tells none. */
  readonly cost: { readonly theirs: number; readonly ours: number } | undefined;
}

const CHAT = OPERATIONS.createChatCompletion.path;
const VECTORS = OPERATIONS.createEmbedding.path;
const DEADLINE_MS = 120_000;
/** Prices are told in millionths and less: a difference below this share is one of rounding. */
const SAME_COST = 0.01;
const MOST_TOLD = 200;
const PROMPT = [{ role: 'user', content: 'Name a harbour in one word.' }];
const TOOL = {
  type: 'function',
  function: {
    name: 'find_harbour',
    description: 'Finds the harbour of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

interface Probe {
  readonly name: string;
  readonly path: string;
  readonly body: JsonObject;
  /** Whether it is refused by whoever reads it. */
  readonly isWrong?: boolean;
  /** Instead of the side's own. */
  readonly key?: string;
}

const CHAT_PROBES: readonly Omit<Probe, 'path'>[] = [
  { name: 'whole answer', body: { messages: PROMPT, max_completion_tokens: 200 } },
  {
    name: 'stream',
    body: { messages: PROMPT, max_completion_tokens: 200, stream: true, stream_options: { include_usage: true } },
  },
  {
    name: 'tool',
    body: {
      messages: [{ role: 'user', content: 'Find the harbour of Hamburg.' }],
      ...{ max_completion_tokens: 400, tools: [TOOL], tool_choice: 'required' },
    },
  },
  { name: 'messages that are none', body: { messages: 'hello' }, isWrong: true },
];

/** Asks both, one request at a time: nobody's limits are tried. */
export async function compare(
  theirs: Side,
  ours: Side,
  models: readonly ComparedModel[],
  asked: (where: string) => void = () => undefined,
): Promise<Comparison> {
  const sums = { requests: 0, theirs: [] as number[], ours: [] as number[], cost: { theirs: 0, ours: 0 }, costs: 0 };
  const differences: Difference[] = [];
  const refused: string[] = [];
  for (const [where, probe] of probesFor(models)) {
    asked(where);
    // Twice each: an answer that does not repeat itself is not compared by its words.
    const [their, theirAgain] = [await ask(theirs, probe), await ask(theirs, probe)];
    const [our, ourAgain] = [await ask(ours, probe), await ask(ours, probe)];
    sums.requests += 4;
    if (isRefusal(their) && isRefusal(our) && probe.isWrong !== true) refused.push(where);
    sums.theirs.push(their.ms, theirAgain.ms);
    sums.ours.push(our.ms, ourAgain.ms);
    const isSettled = their.text === theirAgain.text && our.text === ourAgain.text;
    for (const difference of differencesOf(their, our, isSettled)) differences.push({ where, ...difference });
    if (their.cost === undefined || our.cost === undefined) continue;
    sums.costs++;
    sums.cost.theirs += their.cost;
    sums.cost.ours += our.cost;
  }
  return {
    requests: sums.requests,
    ...{ differences, refused },
    ms: { theirs: median(sums.theirs), ours: median(sums.ours) },
    cost: sums.costs === 0 ? undefined : sums.cost,
  };
}

function* probesFor(models: readonly ComparedModel[]): Generator<readonly [where: string, probe: Probe]> {
  for (const { code, kind } of models) {
    if (kind === 'chat')
      for (const { body, ...probe } of CHAT_PROBES)
        yield [`${code}, ${probe.name}`, { ...probe, path: CHAT, body: { model: code, ...body } }];
    if (kind === 'embedding')
      yield [
        `${code}, embedding`,
        { name: 'embedding', path: VECTORS, body: { model: code, input: ['a harbour', 'a ship'] } },
      ];
  }
  const chat = models.find(({ kind }) => kind === 'chat')?.code ?? 'no-model';
  const body = { model: chat, messages: PROMPT };
  yield [
    'a model that is not there',
    { name: 'model', path: CHAT, body: { ...body, model: 'no-such-model' }, isWrong: true },
  ];
  yield ['a key that is not there', { name: 'key', path: CHAT, body, key: 'sk-not-a-key-of-anybody', isWrong: true }];
}

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
  readonly error: JsonObject | undefined;
  readonly finish: string;
  readonly tools: string;
  readonly usage: readonly [input: number | undefined, output: number | undefined];
  readonly members: ReadonlySet<string>;
  readonly vectors: string;
  readonly cost: number | undefined;
}

/** An answer with the status 0 where there is none: what was asked before it is not lost. */
async function ask(side: Side, probe: Probe): Promise<Answer> {
  const begun = performance.now();
  try {
    return await answerOf(side, probe, begun);
  } catch (error) {
    return { ...NO_ANSWER, ms: performance.now() - begun, error: { type: failureOf(error) } };
  }
}

const NO_ANSWER: Answer = {
  ...{ status: 0, ms: 0, text: '', error: undefined, finish: '', tools: '' },
  ...{ usage: [undefined, undefined], members: new Set(), vectors: '', cost: undefined },
};

/** `ECONNREFUSED`, `TimeoutError`. */
function failureOf(error: unknown): string {
  const { name, cause } = error as Error;
  const { code } = (cause ?? error) as { readonly code?: unknown };
  return typeof code === 'string' ? code : name;
}

async function answerOf({ url, key }: Side, { path, body, key: other = key }: Probe, begun: number): Promise<Answer> {
  // oxlint-disable-next-line no-restricted-globals -- two gateways are compared as their callers see them, whatever the client library would mend
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const text = await reply.text();
  const ms = performance.now() - begun;
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const json = isStream ? wholeOf(text) : jsonOf(text);
  const choice = objectsIn(json['choices'])[0] ?? {};
  const message = objectIn(choice['message']);
  const usage = objectIn(json['usage']);
  const cost = reply.headers.get('x-gateway-cost') ?? reply.headers.get('x-litellm-response-cost');
  return {
    ...{ status: reply.status, ms, text: textIn(message['content']) ?? '' },
    error: isJsonObject(json['error']) ? json['error'] : undefined,
    finish: textIn(choice['finish_reason']) ?? '',
    tools: objectsIn(message['tool_calls']).map(toolText).join(', '),
    usage: [numberIn(usage['prompt_tokens']), numberIn(usage['completion_tokens'])],
    members: new Set(isStream ? [] : membersOf(json)),
    vectors: objectsIn(json['data'])
      .map(({ embedding }) => (Array.isArray(embedding) ? embedding.length : 0))
      .join(', '),
    cost: reply.ok ? numberIn(cost) : undefined,
  };
}

function toolText(call: JsonObject): string {
  const { name, arguments: given } = objectIn(call['function']);
  return `${textIn(name) ?? '?'}(${Object.keys(jsonOf(textIn(given) ?? '')).join(', ')})`;
}

/** What a stream comes to, as far as it is compared. */
function wholeOf(stream: string): JsonObject {
  const chunks = [...stream.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = '']) => jsonOf(data));
  const choices = chunks.flatMap(({ choices: each }) => objectsIn(each));
  const content = choices.map(({ delta }) => textIn(objectIn(delta)['content']) ?? '').join('');
  const finish = choices.findLast(({ finish_reason: reason }) => typeof reason === 'string')?.['finish_reason'] ?? null;
  const error = chunks.find((chunk) => isJsonObject(chunk['error']))?.['error'];
  return {
    choices: [{ message: { content }, finish_reason: finish }],
    usage: chunks.findLast(({ usage }) => isJsonObject(usage))?.['usage'] ?? null,
    ...(error !== undefined && { error }),
  };
}

function jsonOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** What every SDK's types promise; what one vendor adds is nobody's loss. */
const PROMISED = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'data', 'error']);

function membersOf(json: JsonObject): string[] {
  return Object.keys(json).filter((name) => PROMISED.has(name));
}

function differencesOf(theirs: Answer, ours: Answer, isSettled: boolean): Omit<Difference, 'where'>[] {
  const told: Omit<Difference, 'where'>[] = [];
  const look = (what: Difference['what'], their: string, our: string): void => {
    if (their !== our) told.push({ what, theirs: their.slice(0, MOST_TOLD), ours: our.slice(0, MOST_TOLD) });
  };
  if (theirs.status !== ours.status || isRefusal(theirs)) {
    look('status', String(theirs.status), String(ours.status));
    look('error', errorText(theirs), errorText(ours));
    return told;
  }
  look('members', [...theirs.members].sort().join(', '), [...ours.members].sort().join(', '));
  look('finish_reason', theirs.finish, ours.finish);
  look('tool_calls', theirs.tools, ours.tools);
  look('vectors', theirs.vectors, ours.vectors);
  const isSame = theirs.text === ours.text;
  if (isSettled) look('text', theirs.text, ours.text);
  // An answer in other words has another length.
  const counted = (answer: Answer): string => usageText(isSame ? answer.usage : [answer.usage[0], undefined]);
  look('usage', counted(theirs), counted(ours));
  if (isSame && theirs.cost !== undefined && ours.cost !== undefined) {
    const apart = Math.abs(theirs.cost - ours.cost);
    if (apart > SAME_COST * Math.max(theirs.cost, ours.cost)) look('cost', `$${theirs.cost}`, `$${ours.cost}`);
  }
  return told;
}

/** Or no answer at all. */
function isRefusal({ status }: Answer): boolean {
  return status === 0 || status >= 400;
}

function usageText([input, output]: Answer['usage']): string {
  return `${input ?? 'no'} in${output === undefined ? '' : `, ${output} out`}`;
}

/** The words are each gateway's own; programs read the type and the code. */
function errorText({ error }: Answer): string {
  const said = (value: Json | undefined): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '-';
  return error === undefined ? 'no error object' : `type ${said(error['type'])}, code ${said(error['code'])}`;
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
