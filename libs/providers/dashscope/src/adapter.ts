import type { VendorAdapter } from '@model-gateway/provider-kit';
import { dashscope as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { IMAGE_WIRES } from './images.ts';

export const dashscope: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize: (_request, { credentials, settings }) => ({
    authorization: `Bearer ${credentials['api_key'] ?? ''}`,
    // An empty header is left out.
    'x-dashscope-workspace': settings['workspace'] ?? '',
  }),
  readFault,
  declares: {
    ...declared.declares,
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
};
