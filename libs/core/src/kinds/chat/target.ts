import type { Target } from '@model-gateway/translate';
import type { ModelRow, Offer } from '../../catalogue.ts';
import { perObject } from '../../per-object.ts';

/** What translation must know of the vendor model an offer stands for. */
export function targetOf(row: ModelRow, offer: Offer): Target {
  return targetsOf(row)(offer);
}

const targetsOf = perObject(({ limits }: ModelRow) =>
  perObject((offer: Offer): Target => {
    const { inputs, max_output_tokens: longest } = limits;
    return {
      model: offer.model,
      provider: offer.account.provider ?? offer.account.vendor,
      quirks: offer.quirks,
      ...(typeof longest === 'number' && { maxOutputTokens: longest }),
      ...(Array.isArray(inputs) && { inputs: inputs as NonNullable<Target['inputs']> }),
    };
  }),
);
