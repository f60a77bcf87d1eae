import { describe, expect, it } from 'vitest';
import type { DialectName, Json, JsonObject } from '@model-gateway/contracts';
import { digestOf, repetitionIn, repetitionWords, type Repetition } from './repeated-calls.ts';

/** What an agent did in one go: its calls, what came back, and what else was said with the results. */
interface Round {
  readonly calls: readonly { readonly name: string; readonly given: JsonObject; readonly result: string }[];
  readonly said?: string;
  readonly reminder?: string;
}
const TALK = 'Read the file.';
const read = (result = 'not found', given: JsonObject = { path: '/a', limit: 9 }): Round => ({
  calls: [{ name: 'read_file', given, result }],
});
const again = (times: number, ...rounds: readonly Round[]): readonly Round[] =>
  Array.from({ length: times }, () => rounds).flat();

/** How each wire writes such a conversation; ids differ in every round, as vendors make them. */
const WIRES: Readonly<Partial<Record<DialectName, (rounds: readonly Round[]) => JsonObject>>> = {
  'openai-chat': (rounds) => ({
    messages: [
      { role: 'user', content: TALK },
      ...rounds.flatMap(({ calls, said = null, reminder }, at): Json[] => [
        {
          role: 'assistant',
          content: said,
          tool_calls: calls.map(({ name, given }, index) => ({
            id: `call_${at}_${index}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(given) },
          })),
        },
        ...calls.map(({ result }, index) => ({ role: 'tool', tool_call_id: `call_${at}_${index}`, content: result })),
        ...(reminder === undefined ? [] : [{ role: 'user', content: reminder }]),
      ]),
    ],
  }),
  'openai-responses': (rounds) => ({
    input: [
      { role: 'user', content: TALK },
      ...rounds.flatMap(({ calls, said, reminder }, at): Json[] => [
        ...(said === undefined
          ? []
          : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }]),
        ...calls.map(({ name, given }, index) => ({
          ...{ type: 'function_call', id: `fc_${at}_${index}`, call_id: `call_${at}_${index}`, name },
          arguments: JSON.stringify(given),
        })),
        ...calls.map(({ result }, index) => ({
          ...{ type: 'function_call_output', call_id: `call_${at}_${index}`, output: result },
        })),
        ...(reminder === undefined ? [] : [{ role: 'user', content: reminder }]),
      ]),
    ],
  }),
  'anthropic-messages': (rounds) => ({
    max_tokens: 9,
    messages: [
      { role: 'user', content: TALK },
      ...rounds.flatMap(({ calls, said, reminder }, at): Json[] => [
        {
          role: 'assistant',
          content: [
            ...(said === undefined ? [] : [{ type: 'text', text: said }]),
            ...calls.map(({ name, given }, index) => ({
              ...{ type: 'tool_use', id: `toolu_${at}_${index}`, name, input: given },
            })),
          ],
        },
        {
          role: 'user',
          content: [
            ...calls.map(({ result }, index) => ({
              ...{ type: 'tool_result', tool_use_id: `toolu_${at}_${index}`, content: result },
              // Claude Code marks the newest one.
              ...(at === rounds.length - 1 && { cache_control: { type: 'ephemeral' } }),
            })),
            ...(reminder === undefined ? [] : [{ type: 'text', text: reminder }]),
          ],
        },
      ]),
    ],
  }),
  'gemini-generate': (rounds) => ({
    contents: [
      { role: 'user', parts: [{ text: TALK }] },
      ...rounds.flatMap(({ calls, said, reminder }, at): Json[] => [
        {
          role: 'model',
          parts: [
            ...(said === undefined ? [] : [{ text: said }]),
            ...calls.map(({ name, given }, index) => ({
              functionCall: { name, args: given },
              ...(index === 0 && { thoughtSignature: Buffer.from(`signature ${at}`).toString('base64') }),
            })),
          ],
        },
        {
          role: 'user',
          parts: [
            ...calls.map(({ name, result }) => ({ functionResponse: { name, response: { output: result } } })),
            ...(reminder === undefined ? [] : [{ text: reminder }]),
          ],
        },
      ]),
    ],
  }),
};

describe.each(Object.keys(WIRES) as DialectName[])('a conversation in %s', (dialect) => {
  const write = WIRES[dialect];
  const found = (rounds: readonly Round[], most = 3): Repetition | undefined =>
    repetitionIn({ dialect, path: '/', bytes: undefined, body: { model: 'm', ...write?.(rounds) } }, most);

  it('that repeats a call with its result is a loop above the limit, and not at it', () => {
    expect(found(again(3, read()))).toBeUndefined();
    expect(found(again(4, read()))).toEqual({ tools: ['read_file'], times: 4 });
    // What was done before does not matter, nor in what order arguments are written, nor what the model says of them.
    const other = read('not found', { limit: 9, path: '/a' });
    const rounds = [read('found'), { ...read(), said: 'Again.' }, other, read(), { ...other, said: 'And again.' }];
    expect(found(rounds)).toEqual({ tools: ['read_file'], times: 4 });
  });

  it('that repeats several calls in turn is a loop, up to four of them', () => {
    const edit: Round = { calls: [{ name: 'edit', given: { path: '/a' }, result: 'no match' }] };
    const both: Round = { calls: [...read().calls, ...edit.calls] };
    expect(found(again(3, read(), edit))).toBeUndefined();
    expect(found(again(4, read(), edit))).toEqual({ tools: ['read_file', 'edit'], times: 4 });
    expect(found(again(4, both))).toEqual({ tools: ['read_file', 'edit'], times: 4 });
    expect(found(again(4, read(), edit, both, read('else')))?.times).toBe(4);
    expect(found(again(4, read(), edit, both, read('else'), read('more')))).toBeUndefined();
  });

  it('with anything new in it is none', () => {
    const polled = Array.from({ length: 9 }, (_, at) => read(`${at} % done`));
    const paged = Array.from({ length: 9 }, (_, at) => read('not found', { path: '/a', offset: at }));
    const answered = Array.from({ length: 9 }, (_, at) => ({ ...read(), reminder: `Try number ${at}.` }));
    const swapped = Array.from({ length: 9 }, (_, at): Round => ({
      calls: [at, 9 - at].map((n) => ({ name: 'get', given: {}, result: String(n) })),
    }));
    for (const rounds of [polled, paged, answered, swapped]) expect(found(rounds)).toBeUndefined();
    // A caller who steps in ends it.
    expect(found([...again(3, read()), { ...read(), reminder: 'Stop reading that file.' }])).toBeUndefined();
    expect(found([...again(4, read()), read('found')])).toBeUndefined();
    // The same words with each result are nothing new.
    expect(found(again(4, { ...read(), reminder: 'Mind the list.' }))?.times).toBe(4);
  });
});

it('answers without calls, calls without results and bodies that nobody can read are no loops', () => {
  const found = (messages: Json): Repetition | undefined =>
    repetitionIn({ dialect: 'openai-chat', path: '/', bytes: undefined, body: { model: 'm', messages } }, 1);
  const call = { id: 'a', type: 'function', function: { name: 'get', arguments: '{' } };
  const ask = { role: 'assistant', tool_calls: [call] };
  const result = { role: 'tool', tool_call_id: 'a', content: 'no' };
  expect(found([ask, result, ask, result])).toEqual({ tools: ['get'], times: 2 });
  expect(found([ask, result, ask])).toBeUndefined();
  expect(found([ask, result, ask, { role: 'user', content: 'no' }])).toBeUndefined();
  const chat = [{ role: 'user', content: 'Is it done?' }, { role: 'assistant', content: 'No.' }]; // prettier-ignore
  expect(found([...chat, ...chat, ...chat])).toBeUndefined();
  // People who ask the same again have answers between the calls.
  const asked = [chat[0] ?? null, ask, result, chat[1] ?? null];
  expect(found([...asked, ...asked, ...asked, ...asked.slice(0, 3)])).toBeUndefined();
  for (const broken of ['text', [7], [result], undefined]) expect(found(broken ?? null)).toBeUndefined();
});

it('names few tools, and cuts their names', () => {
  expect(repetitionWords({ tools: ['a'.repeat(500)], times: 6 }).length).toBeLessThan(200);
  expect(repetitionWords({ tools: ['a', 'b', 'c', 'd', 'e'], times: 6 })).toBe(
    'The same calls of `a`, `b`, `c`, `d`, … were made 6 times with the same arguments and the same results.',
  );
});

it('requests are equal by their bytes and their path', async () => {
  const of = (text: string | undefined, path = '/v1/messages'): Promise<string | undefined> =>
    digestOf({ dialect: 'anthropic-messages', path, body: {}, bytes: text === undefined ? text : Buffer.from(text) });
  expect(await of('{"a":1}')).toBe(await of('{"a":1}'));
  expect(await of('{"a":1}')).not.toBe(await of('{"a":2}'));
  expect(await of('{"a":1}', '/v1beta/models/a:generateContent')).not.toBe(await of('{"a":1}'));
  expect(await of(undefined)).toBeUndefined();
});
