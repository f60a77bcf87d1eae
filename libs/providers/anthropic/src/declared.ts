import {
  cancellationOfServer,
  declareApiKey,
  STREAM_STOPS_BILLING,
  type DeclaredVendor,
} from '@model-gateway/provider-kit';

/**
 * Anthropic's Messages API (docs/wire/anthropic-messages.md). `anthropic-version` is the caller's, else the account's
 * `anthropic_version`; betas travel as the caller wrote them.
 */
export const anthropic: DeclaredVendor = {
  id: 'anthropic',
  declares: {
    title: 'Anthropic',
    ...declareApiKey('https://api.anthropic.com'),
    settings: {
      anthropic_version: {
        type: 'text',
        about: 'The `anthropic-version` of requests whose caller names none; 2023-06-01 unless said.',
      },
    },
    streamCancellation: (account) => cancellationOfServer({ ...account, isVendor: true }) ?? STREAM_STOPS_BILLING,
  },
};
