import { everyLawIsHeld } from './attack.ts';

/** All but `exhaustion-bodies`, whose milliseconds mean nothing on a machine that runs other tests. */
const EXHAUSTION = [
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
];

everyLawIsHeld(
  'exhaustion',
  EXHAUSTION.map((name) => `exhaustion-${name}`),
);
everyLawIsHeld('isolation', ['isolation-']);
everyLawIsHeld('access', ['access-']);
