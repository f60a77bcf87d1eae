/** `gateway embed`, `gateway rerank`, `gateway moderate`: for people, as JSON, through a pipe, and what is wrong with a line. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGateway, type TestGateway } from '@model-gateway/testing';
import { runCommand, type Said } from './run-command.ts';

let gateway: TestGateway;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await openTestGateway();
  env = { MODEL_GATEWAY_URL: gateway.url, MODEL_GATEWAY_API_KEY: gateway.testKey };
});
afterAll(() => gateway.close());
const run = (line: readonly string[], input = ''): Promise<Said> => runCommand(line, { env, input });
const vectorsIn = ({ out }: Said): number[][] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as number[]);

const EMBED = ['embed', '-m', 'text-embedding-3-small', '--dimensions', '8'];

it('embed: a text is a vector, with --lines each line is', async () => {
  const one = await run([...EMBED, 'High', 'tide at noon.']);
  expect({ code: one.code, error: one.error }).toEqual({ code: 0, error: '' });
  const [vector] = vectorsIn(one);
  expect(vectorsIn(one)).toHaveLength(1);
  expect(vector).toHaveLength(8);
  const whole = await run(EMBED, 'High tide at noon.\n\nInvoices are due.\n');
  expect(vectorsIn(whole)).toHaveLength(1);
  const lines = vectorsIn(await run([...EMBED, '--lines'], 'High tide at noon.\n\nInvoices are due.\n'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toEqual(vector);
});

it('embed: what vectors are for, and of what numbers they are', async () => {
  const model = ['embed', '-m', 'voyage-4', '--dimensions', '256'];
  const [query = []] = vectorsIn(
    await run([...model, '--input-type', 'query', '--output-dtype', 'int8', 'High tide at noon.']),
  );
  expect(query).toHaveLength(256);
  expect(query.every(Number.isInteger)).toBe(true);
  const wrong = await run(['embed', '-m', 'text-embedding-3-small', '--output-dtype', 'int8', 'High tide at noon.']);
  expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('--output-dtype is int8') });
});

it('rerank: the best first, from the line and from a pipe', async () => {
  const query = ['rerank', '-m', 'qwen3-rerank', 'When does the tide turn?'];
  const said = await run([...query, 'Invoices are due in thirty days.'], 'The tide turns at noon.\n');
  expect({ code: said.code, error: said.error }).toEqual({ code: 0, error: '' });
  expect(said.out).toMatch(/^ *score +document\n0\.\d{4} +The tide turns at noon\.\n0\.\d{4} +Invoices/);
  const { out } = await run([...query, '--top', '1', '--json', 'Invoices are due.', 'The tide turns at noon.']);
  expect(JSON.parse(out)).toMatchObject({ model: 'qwen3-rerank', results: [{ index: 1 }] });
});

it('moderate: what is harmful, and in which way', async () => {
  expect((await run(['moderate', 'The tide turns at noon.'])).out).toBe('harmless\n');
  expect((await run(['moderate', 'I will stab you.'])).out).toBe('harmful: violence\n');
  const { out } = await run(['moderate', '--json', '-m', 'omni-moderation-latest'], 'I will stab you.');
  expect(JSON.parse(out)).toMatchObject({ model: 'omni-moderation-latest', results: [{ flagged: true }] });
});

it('says what is wrong', async () => {
  expect(await run(['embed', 'a'])).toMatchObject({ code: 2, error: expect.stringContaining('--kind embedding') });
  expect(await run(['embed', '-m', 'text-embedding-3-small'])).toMatchObject({ code: 2 });
  expect(await run(['rerank', 'a', 'b'])).toMatchObject({ code: 2, error: expect.stringContaining('--kind rerank') });
  expect(await run(['rerank', '-m', 'qwen3-rerank', 'a'])).toMatchObject({
    code: 2,
    error: expect.stringContaining('one in each line'),
  });
  expect(await run([...EMBED, '--dimensions', '0', 'a'])).toMatchObject({
    code: 2,
    error: expect.stringContaining('from 1'),
  });
  expect(await run(['embed', '-m', 'gpt-5.2', 'a'])).toMatchObject({
    code: 1,
    error: expect.stringContaining('of kind chat'),
  });
  expect(await run(['moderate'])).toMatchObject({ code: 2 });
});
