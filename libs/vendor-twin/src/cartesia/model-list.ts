import type { Route } from '../core/vendor.ts';

/** docs/wire/cartesia.md#models */
const MODELS = [
  ['sonic-3.5', 'tts'],
  ['sonic-3', 'tts'],
  ['ink-whisper', 'stt'],
] as const;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/models',
    operation: 'models',
    handle(exchange) {
      const asked = exchange.query.get('capability');
      exchange.reply(200, {
        data: MODELS.flatMap(([id, capability]) =>
          asked !== null && asked !== capability ? [] : [{ id, name: id, capability }],
        ),
      });
    },
  },
];
