import { limitLeft, limitsOf, type LimitLeft, type VendorLimits } from '@model-gateway/provider-kit';

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
