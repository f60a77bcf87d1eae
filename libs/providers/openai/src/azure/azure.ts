/** OpenAI's wires as Azure serves them (docs/wire/azure.md): other addresses, another key or an Entra token, content filters. */
import { readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { QUIRKS as OF_OPENAI } from '../declared.ts';
import { readFault } from '../fault.ts';
import { azure as declared } from './declared.ts';
import { entraToken } from './entra.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';

export const azure: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  authorize(request, account, now) {
    const key = account.credentials['api_key'] ?? '';
    if (key !== '') return { 'api-key': key };
    return entraToken(account, request.send, now).then((token) => ({ authorization: `Bearer ${token}` }));
  },
  readFault,
  readLimits: readOpenAiLimits,
  declares: {
    ...declared.declares,
    quirks: { ...QUIRKS, images: OF_OPENAI.images ?? {}, speech: OF_OPENAI.speech ?? {} },
  },
};
