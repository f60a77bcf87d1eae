/** Moderation models: texts and pictures in, verdicts out. */
import type { KindModule } from '../../kind-module.ts';
import { moderationOf } from './moderation-body.ts';
import { mostOfModeration } from './moderations.ts';

export { moderationOf } from './moderation-body.ts';
export { createModerations, type ModerationCall, type Moderations } from './moderations.ts';

export const moderationKind: KindModule = {
  name: 'moderation',
  called: 'a moderation model',
  capability: 'moderations',
  likelyNames: /moderation/i,
  rows: { moderation: { pricedBy: ['input'] } },
  inputs: ['image'],
  answersAtOnce: true,
  usualModel: 'omni-moderation-latest',
  describe: () => ({ operations: ['createModeration'], formats: ['moderations'] }),
  quote: { createModeration: (body, row) => ({ usage: mostOfModeration(moderationOf(body, row)) }) },
};
