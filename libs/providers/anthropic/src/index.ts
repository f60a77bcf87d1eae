import { declareApiKey, type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { readLimits } from './limits.ts';

/**
 * Anthropic's Messages API (docs/wire/anthropic-messages.md). `anthropic-version` is the caller's, else the account's
 * `anthropic_version`; betas travel as the caller wrote them.
 */
export const anthropic: VendorAdapter = {
  id: 'anthropic',
  ...CAPABILITIES,
  declares: {
    ...declareApiKey('https://api.anthropic.com'),
    settings: {
      anthropic_version: {
        type: 'text',
        about: 'The `anthropic-version` of requests whose caller names none; 2023-06-01 unless said.',
      },
    },
    quirks: QUIRKS,
  },
  authorize: (_request, account) => ({ 'x-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
  readLimits,
};
