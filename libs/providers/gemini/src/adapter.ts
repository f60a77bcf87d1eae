import type { VendorAdapter } from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { contextCaches } from './context-caches.ts';
import { gemini as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { files } from './files.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export const gemini: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  batches,
  contextCaches,
  files,
  modelList,
  authorize: (_request, account) => ({ 'x-goog-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
  declares: {
    ...declared.declares,
    quirks: {
      ...QUIRKS,
      images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } },
    },
  },
};
