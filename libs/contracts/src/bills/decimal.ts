/** Money as whole picodollars (10⁻¹²): vendors print up to twelve digits behind the point, and sums of doubles would not add up. */

const DIGITS = 12;
const ONE = 10n ** BigInt(DIGITS);
const MICRO = 10n ** 6n;
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
const LONGEST = 60;

/** Reads a decimal number, exponents included; digits beyond the twelfth are cut off. Undefined for what is none. */
export function picoOf(text: string, scale = 0): bigint | undefined {
  const match = text.length > LONGEST ? null : FORM.exec(text.trim());
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const shift = DIGITS + scale + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -value : value;
}

/** `1.25`, `-0.000001`: exact. */
export function decimalOf(pico: bigint): string {
  const size = pico < 0n ? -pico : pico;
  const fraction = (size % ONE).toString().padStart(DIGITS, '0').replace(/0+$/, '');
  return `${pico < 0n ? '-' : ''}${size / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}

/** US dollars to the millionth, for reading. */
export function dollarsIn(pico: bigint): number {
  const half = pico < 0n ? -MICRO / 2n : MICRO / 2n;
  return Number((pico + half) / MICRO) / Number(MICRO);
}
