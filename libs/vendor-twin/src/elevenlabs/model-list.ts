import type { Route } from '../core/vendor.ts';

/** docs/wire/elevenlabs.md#models */
const MODELS = [
  ['eleven_v3', true],
  ['eleven_multilingual_v2', true],
  ['eleven_flash_v2_5', true],
  ['eleven_turbo_v2_5', true],
  ['eleven_multilingual_sts_v2', false],
] as const;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/models',
    operation: 'models',
    handle: (exchange) =>
      exchange.reply(
        200,
        MODELS.map(([id, speaks]) => ({
          model_id: id,
          name: id.replaceAll('_', ' '),
          can_be_finetuned: false,
          can_do_text_to_speech: speaks,
          can_do_voice_conversion: !speaks,
          languages: [{ language_id: 'en', name: 'English' }],
        })),
      ),
  },
];
