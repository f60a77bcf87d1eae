import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readChatFault } from './chat.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

/** Volcengine Ark and BytePlus ModelArk. */
export const ark: VendorAdapter = {
  id: 'ark',
  ...CAPABILITIES,
  declares: {
    title: 'Volcengine Ark',
    platform: '54',
    ...declareApiKey('https://ark.cn-beijing.volces.com/api/v3'),
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
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault: (reply) => readChatFault(reply) ?? readFault(reply),
};
