/** The short form of tools/attack: what a hostile tenant tries, over real processes that are killed, and the laws that must hold. */
import { expect, it } from 'vitest';
import { runTool } from './run-tool.ts';

const LONGEST_MS = 480_000;

/** Tests with the attacks whose names begin so; they share one process of attackers. */
export function everyLawIsHeld(family: string, attacks: readonly string[]): void {
  it(
    `${family}: every law is held`,
    async () => {
      const run = await runTool('attack/attack.mjs', '--only', attacks.join(','), '--short');
      expect(run).toEqual({ code: 0, said: expect.stringContaining('every law was held') });
    },
    LONGEST_MS,
  );
}
