import { declareApiKey, STREAM_KEEPS_BILLING, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { IMAGE_WIRES } from './images.ts';

/** Alibaba Cloud Model Studio (DashScope): HappyHorse and Wan videos, Qwen and Wan pictures, chat in compatible mode. */
export const dashscope: VendorAdapter = {
  id: 'dashscope',
  ...CAPABILITIES,
  declares: {
    title: 'Alibaba DashScope',
    platform: '17',
    ...declareApiKey('https://dashscope.aliyuncs.com/api/v1'),
    settings: { workspace: { type: 'text', about: 'The workspace that is asked, sent as `x-dashscope-workspace`.' } },
    streamCancellation: () => STREAM_KEEPS_BILLING,
    quirks: {
      ...QUIRKS,
      images: {
        wire: {
          values: IMAGE_WIRES,
          about: 'The way the model is asked: at once, or as one of the two kinds of task.',
        },
      },
    },
  },
  authorize: (_request, { credentials, settings }) => ({
    authorization: `Bearer ${credentials['api_key'] ?? ''}`,
    // An empty header is left out.
    'x-dashscope-workspace': settings['workspace'] ?? '',
  }),
  readFault,
};
