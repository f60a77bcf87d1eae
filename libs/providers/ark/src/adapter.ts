import type { VendorAdapter } from '@model-gateway/provider-kit';
import { readChatFault } from './chat.ts';
import { ark as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const ark: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault: (reply) => readChatFault(reply) ?? readFault(reply),
  declares: {
    ...declared.declares,
    quirks: {
      ...QUIRKS,
      images: {
        seed: { type: 'flag', about: 'Whether the model takes a seed.' },
        output_format: { type: 'flag', about: 'Whether the model can be told the format of its pictures.' },
        negative_prompt: { type: 'flag', about: 'Whether the model takes a negative prompt.' },
        stream: { type: 'flag', about: 'Whether the model can stream its pictures.' },
      },
    },
  },
};
