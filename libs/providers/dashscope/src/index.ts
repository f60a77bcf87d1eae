import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { chat } from './chat.ts';
import { readFault } from './fault.ts';
import { images } from './images.ts';
import { videos } from './videos.ts';

/** Alibaba Cloud Model Studio (DashScope): HappyHorse and Wan videos, Qwen and Wan pictures, chat in compatible mode. */
export const dashscope: ProviderAdapter = {
  id: 'dashscope',
  chat,
  images,
  videos,
  authorize: (_request, { credentials, settings }) => ({
    authorization: `Bearer ${credentials['api_key'] ?? ''}`,
    // An empty header is left out.
    'x-dashscope-workspace': settings['workspace'] ?? '',
  }),
  readFault,
};
