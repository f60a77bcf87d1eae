import { compatibleChat, type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';

/**
 * Anthropic's Messages API (chat.md §4). `anthropic-version` is the caller's, else the account's `anthropic_version`; betas travel
 * as the caller wrote them.
 */
export const anthropic: ProviderAdapter = {
  id: 'anthropic',
  chat: compatibleChat({ 'anthropic-messages': '/v1/messages' }),
  authorize: (_request, account) => ({ 'x-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
};
