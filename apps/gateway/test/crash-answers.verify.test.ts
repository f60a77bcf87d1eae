/** A small run of tools/crash/answers.mjs: killed while it answers and streams, the gateway asks nothing twice, charges nothing twice, and no stream stops without a word. */
import { expect, it } from 'vitest';
import { runTool } from './run-tool.ts';

const LONGEST_MS = 180_000;

it(
  '2 kills among vectors, scores, verdicts, transcripts and resumable streams: every promise is kept',
  async () => {
    const run = await runTool('crash/answers.mjs', '--kills', '2', '--clients', '6', '--seed', '3');
    expect(run).toEqual({ code: 0, said: expect.stringContaining('every promise was kept') });
  },
  LONGEST_MS,
);
