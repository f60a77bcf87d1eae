/** Videos in OpenAI's shape, at whatever base URL (docs/wire/openai-videos.md); xAI's wire by the account's setting `wire: xai`. */
import type { VideoAdapter } from '@model-gateway/provider-kit';
import { openAiVideos } from './openai-videos.ts';
import { xaiVideos } from './xai-videos.ts';

export const videos: VideoAdapter = {
  changes: ({ settings }) =>
    settings['wire'] === 'xai'
      ? { edit: 'address', extend: 'address' }
      : { remix: 'ticket', edit: 'ticket', extend: 'ticket' },
  start: (input, upstream) => wireOf(upstream.account.settings['wire']).start(input, upstream),
  check: (ticket, upstream) => wireOf(ticket['wire']).check(ticket, upstream),
};

/** A task is asked after on the wire it was started on. */
function wireOf(word: unknown): VideoAdapter {
  return word === 'xai' ? xaiVideos : openAiVideos;
}
