/** Nothing is lost in silence: what a translation did not carry is in its report, under the caller's own name. */
import { expect, it } from 'vitest';
import { DIALECT_NAMES } from '@model-gateway/contracts';
import fc from 'fast-check';
import type { ChatRequest } from './conversation.ts';
import { dialects } from './dialects.ts';
import type { Target } from './dialect.ts';
import type { Setting } from './facts.ts';
import { fieldName } from './shared/field-names.ts';

const samples = {
  maxOutputTokens: 50,
  stop: ['END'],
  temperature: 0.5,
  topP: 0.5,
  topK: 4,
  presencePenalty: 1,
  frequencyPenalty: 0,
  seed: 0,
  logitBias: { '1': 5 },
  verbosity: 'low',
  user: 'u',
  metadata: { team: 'a' },
  serviceTier: 'flex',
  cacheKey: 'k',
  autoCache: {},
  parallelToolCalls: false,
  format: { type: 'json-object' },
  image: { aspectRatio: '1:1' },
} as const satisfies Partial<Record<Setting, unknown>>;

const targets: readonly Target[] = [
  { model: 'x', provider: 'x' },
  { model: 'x', provider: 'x', quirks: { sampling: true, thinking: 'budget', structured_output: false } },
];

it.each(DIALECT_NAMES.flatMap((client) => DIALECT_NAMES.map((vendor) => [client, vendor] as const)))(
  '%s → %s: every setting arrives or is reported',
  (client, vendor) => {
    const settings = fc.subarray(Object.keys(samples) as (keyof typeof samples)[]);
    fc.assert(
      fc.property(settings, fc.constantFrom(...targets), (chosen, target) => {
        const request = {
          dialect: client,
          model: 'm',
          stream: false,
          system: [],
          turns: [{ role: 'user', parts: [{ type: 'text', text: 'q' }] }],
          tools: [
            { type: 'function', name: 'look', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
          ],
          extra: { novelty: 1 },
          ...Object.fromEntries(chosen.map((setting) => [setting, samples[setting]])),
        } as ChatRequest;
        const { body, dropped } = dialects[vendor].encodeRequest(request, target);
        const arrived = dialects[vendor].decodeRequest(body, { model: 'm', stream: false });
        const reported = new Set(dropped.map(({ field }) => field));
        for (const setting of chosen) {
          // Everyone but Anthropic caches without being asked.
          if (setting === 'autoCache' && vendor !== 'anthropic-messages') continue;
          if (JSON.stringify(arrived[setting]) === JSON.stringify(samples[setting])) continue;
          expect([setting, ...reported]).toContain(fieldName(request, setting));
        }
        expect(reported.has('novelty')).toBe(client !== vendor);
      }),
      { numRuns: 60 },
    );
  },
);
