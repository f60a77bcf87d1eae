import { expect, it } from 'vitest';
import type { RequestRow } from '../ports.ts';
import { DroppedCounts, droppedParameter, parameterLabel } from './dropped-parameters.ts';

const DAY_MS = 86_400_000;
const row = (at: number, lost: RequestRow['lost'], given: Partial<RequestRow> = {}): RequestRow => ({
  ...{ id: 'req_1', at, ownerId: 3, mode: 'live', keyId: 7, model: 'm', operation: 'createChatCompletion' },
  ...{ status: 200, aborted: false, streamed: false, ms: 1, attempts: 1, charged: 0, lost },
  ...given,
});

it.each([
  ['temperature', 'temperature', 'temperature'],
  ['messages[12].content[3].cache_control', 'messages[].content[].cache_control', 'cache_control'],
  ['tools.0.strict', 'tools[].strict', 'strict'],
  ['tool_choice.allowed', 'tool_choice.allowed', 'tool_choice'],
  ['my_own_field', 'my_own_field', 'other'],
  ['__proto__', '__proto__', 'other'],
])('%s counts as %s, in metrics as %s', (field, parameter, label) => {
  expect(droppedParameter(field, 'why').parameter).toBe(parameter);
  expect(parameterLabel(field)).toBe(label);
});

it('counts a parameter once for a request, by day, key and model, with the last reason', () => {
  const counts = new DroppedCounts();
  const [twice, other] = [droppedParameter('messages[0].detail', 'old'), droppedParameter('messages[1].detail', 'new')];
  counts.count(row(5, [twice, other]));
  counts.count(row(3, [droppedParameter('messages[4].detail', 'earlier')]));
  counts.count(row(DAY_MS, [twice]));
  counts.count(row(6, [twice], { keyId: 8 }));
  counts.count(row(6, [twice], { model: 'n' }));
  counts.count(row(6, undefined));
  const taken = counts.take();
  expect(taken).toHaveLength(4);
  const of = { ownerId: 3, mode: 'live', keyId: 7, model: 'm', parameter: 'messages[].detail' };
  expect(taken[0]).toEqual({ ...of, day: 0, requests: 2, firstAt: 3, lastAt: 5, reason: 'new' });
  expect(taken[1]).toEqual({ ...of, day: 1, requests: 1, firstAt: DAY_MS, lastAt: DAY_MS, reason: 'old' });
  expect(counts.take()).toEqual([]);
  counts.putBack(taken);
  counts.count(row(7, [twice]));
  expect(counts.take()[0]).toMatchObject({ requests: 3, firstAt: 3, lastAt: 7, reason: 'old' });
});

it('gives a key that makes up names one line after a hundred, and leaves other keys theirs', () => {
  const counts = new DroppedCounts();
  for (let name = 0; name < 5_000; name++)
    counts.count(row(1, [droppedParameter(`made_up_${name}`, 'no such setting')]));
  counts.count(row(1, [droppedParameter('made_up_3', 'no such setting')]));
  counts.count(row(1, [droppedParameter('seed', 'no such setting')], { keyId: 8 }));
  const taken = counts.take();
  expect(taken).toHaveLength(102);
  expect(taken.find(({ parameter }) => parameter === 'other')).toMatchObject({
    requests: 4_900,
    model: '',
    reason: '',
  });
  expect(taken.find(({ parameter }) => parameter === 'made_up_3')).toMatchObject({ requests: 2 });
  expect(taken.find(({ keyId }) => keyId === 8)).toMatchObject({ parameter: 'seed', requests: 1 });
});
