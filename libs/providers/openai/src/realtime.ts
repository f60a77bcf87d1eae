import type { RealtimeAdapter } from '@model-gateway/provider-kit';

const PATH = '/realtime';

/** OpenAI's /realtime (docs/wire/realtime.md#openai). */
export const realtime: RealtimeAdapter = {
  wire: 'openai-realtime',
  connect: ({ transcribes }, upstream) =>
    upstream.connect({
      path: transcribes ? `${PATH}?intent=transcription` : `${PATH}?model=${encodeURIComponent(upstream.model)}`,
    }),
};
