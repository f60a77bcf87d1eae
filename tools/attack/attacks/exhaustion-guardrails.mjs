import { holdGuardrails, MOST_DELAY_MS } from '../exhaustion/guardrails.mjs';

export const law = 3;
export const name = 'texts that guardrails take long for';
export const before = '20 MB of `1 1 1 …`: 15.8 s; 1 MB for a pattern of an operator’s: 7.9 s';
export const threshold = `the event loop is held up for at most ${MOST_DELAY_MS} ms, whatever is looked for in whatever text`;
export const run = holdGuardrails;
