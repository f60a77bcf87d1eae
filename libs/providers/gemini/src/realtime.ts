import type { RealtimeAdapter } from '@model-gateway/provider-kit';

/** Google's BidiGenerateContent; the model is named in its first message (docs/wire/realtime.md#gemini-live). */
export const realtime: RealtimeAdapter = {
  wire: 'gemini-live',
  connect: (_opening, upstream) =>
    upstream.connect({
      path: `/ws/google.ai.generativelanguage.${upstream.account.settings['api_version'] ?? 'v1beta'}.GenerativeService.BidiGenerateContent`,
    }),
};
