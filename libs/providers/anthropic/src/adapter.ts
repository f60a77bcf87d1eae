import {
  limitLeft,
  limitsOf,
  type LimitLeft,
  type VendorAdapter,
  type VendorLimits,
} from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { anthropic as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { files } from './files.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export const anthropic: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  batches,
  files,
  modelList,
  authorize: (_request, account) => ({ 'x-api-key': account.credentials['api_key'] ?? '' }),
  readFault,
  readLimits,
  declares: { ...declared.declares, quirks: QUIRKS },
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
