import type { Route } from '../core/vendor.ts';

/** docs/wire/deepgram.md#models */
const HEARD = [
  ['general', 'nova-3-general', 'nova-3'],
  ['medical', 'nova-3-medical', 'nova-3'],
  ['general', 'nova-2-general', 'nova-2'],
] as const;
const SPOKEN = [
  ['thalia', 'aura-2-thalia-en', 'aura-2'],
  ['zeus', 'aura-2-zeus-en', 'aura-2'],
  ['angus', 'aura-angus-en', 'aura'],
] as const;

const entry = ([name, canonical, architecture]: readonly [string, string, string]) => ({
  ...{ name, canonical_name: canonical, architecture },
  ...{ languages: ['en'], version: '2026-01-09.0', uuid: 'bf05427e-a1f1-4ced-a976-38b2f3533d8d' },
});

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/models',
    operation: 'models',
    handle: (exchange) =>
      exchange.reply(200, {
        stt: HEARD.map((model) => ({ ...entry(model), batch: true, streaming: true, formatted_output: true })),
        tts: SPOKEN.map((model) => ({ ...entry(model), metadata: { accent: 'American' } })),
      }),
  },
];
