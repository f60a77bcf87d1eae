/** Reading of the caps on output, forgiving: a body that is forwarded is the vendor's to judge. */
import type { Json } from '@model-gateway/contracts';
import type { OutputLimits } from '../dialect.ts';

export function capOf(value: Json | undefined): Pick<OutputLimits, 'cap'> {
  return typeof value === 'number' && value > 0 ? { cap: Math.ceil(value) } : {};
}

export function answersOf(value: Json | undefined): number {
  return typeof value === 'number' && value > 1 ? Math.ceil(value) : 1;
}
