import type { RealtimeAdapter } from '@model-gateway/provider-kit';

const PATH = '/openai/v1/realtime';

/** Azure has OpenAI's realtime events on the wire without dates, whatever version the account names for the rest. */
export const realtime: RealtimeAdapter = {
  wire: 'openai-realtime',
  connect: ({ transcribes }, upstream) =>
    upstream.connect({
      path: transcribes ? `${PATH}?intent=transcription` : `${PATH}?model=${encodeURIComponent(upstream.model)}`,
    }),
};
