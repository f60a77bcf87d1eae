import {
  cancellationOfServer,
  declareApiKey,
  STREAM_STOPS_BILLING,
  type VendorAdapter,
  limitLeft,
  limitsOf,
  type LimitLeft,
  type VendorLimits,
} from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { files } from './files.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

/**
 * Anthropic's Messages API (docs/wire/anthropic-messages.md). `anthropic-version` is the caller's, else the account's
 * `anthropic_version`; betas travel as the caller wrote them.
 */
export const anthropic: VendorAdapter = {
  id: 'anthropic',
  ...CAPABILITIES,
  batches,
  files,
  modelList,
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
    quirks: QUIRKS,
  },
  authorize: (_request, account) => ({ 'x-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
  readLimits,
};

/** `anthropic-ratelimit-…` of any answer (docs/wire/anthropic-messages.md). Of tokens the kind of which least is left. */
export function readLimits(headers: Readonly<Record<string, string>>, now: number): VendorLimits | undefined {
  const left = (what: string): LimitLeft | undefined => {
    const reset = headers[`anthropic-ratelimit-${what}-reset`];
    return limitLeft(
      headers[`anthropic-ratelimit-${what}-remaining`],
      reset === undefined ? undefined : Date.parse(reset) - now,
    );
  };
  const tokens = ['tokens', 'input-tokens', 'output-tokens'].flatMap((what) => left(what) ?? []);
  const [least] = tokens.toSorted((one, other) => one.remaining - other.remaining);
  return limitsOf(left('requests'), least);
}
