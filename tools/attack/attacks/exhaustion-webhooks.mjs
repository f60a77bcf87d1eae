import { holdWebhooks } from '../exhaustion/webhooks.mjs';

export const law = 3;
export const name = 'webhooks that are never answered';
export const before = '300 slow receivers of one owner delayed another’s by 50 s';
export const threshold = 'another owner’s webhook comes ≤ 5 s later than with none';
export const run = holdWebhooks;
