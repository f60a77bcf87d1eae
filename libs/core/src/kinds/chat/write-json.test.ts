import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonObject } from '@model-gateway/contracts';
import { writeJsonInTurns } from './write-json.ts';

const LONG = 512 * 1024;

describe('writes what JSON.stringify writes', () => {
  it.each([
    ['ascii', 'a'.repeat(3 * LONG)],
    ['what needs an escape', '"\\\n\u0001'.repeat(LONG)],
    ['three bytes a character', '漢'.repeat(2 * LONG)],
    ['pairs at every place of a cut', `a${'😀'.repeat(LONG)}`],
    ['halves of pairs', '\ud83d'.repeat(LONG + 3)],
  ])('a long string: %s', async (_name, text) => {
    const body = { before: 1, list: [text, { text, none: undefined }], __proto__x: null, after: 'b' } as JsonObject;
    const bytes = await writeJsonInTurns(body, 10);
    expect(bytes.equals(Buffer.from(JSON.stringify(body)))).toBe(true);
  });

  it('any small value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
        const body = value as JsonObject;
        expect((await writeJsonInTurns(body, 0)).toString()).toBe(JSON.stringify(body));
      }),
    );
  });
});

it('lets others have their turn', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await writeJsonInTurns({ text: 'a'.repeat(10 * LONG) }, 10 * LONG);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(10);
});
