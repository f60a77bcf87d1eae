/** The short form of tools/attack: what a hostile tenant tries, over real processes that are killed, and the laws that must hold. */
import { expect, it } from 'vitest';
import { runTool } from './run-tool.ts';

const LONGEST_MS = 480_000;

/** All but `exhaustion-bodies`, whose milliseconds mean nothing on a machine that runs other tests. Each family shares one process of attackers. */
const ATTACKS = {
  money: ['money-'],
  exhaustion: [
    'files',
    'forms',
    'full-account',
    'guesses',
    'mcp-servers',
    'paths',
    'retry-after',
    'slow-media',
    'sockets',
    'twin-media',
    'webhooks',
  ].map((name) => `exhaustion-${name}`),
  isolation: ['isolation-'],
  access: ['access-'],
};

it.each(Object.entries(ATTACKS))(
  '%s: every law is held',
  async (_family, attacks) => {
    const run = await runTool('attack/attack.mjs', '--only', attacks.join(','), '--short');
    expect(run).toEqual({ code: 0, said: expect.stringContaining('every law was held') });
  },
  LONGEST_MS,
);
