/** Money to the unit: what is finer than cents stands smaller behind them, so that columns add up and can be read. */
import { UNITS_PER_DOLLAR } from '@model-gateway/contracts';
import { locale } from './format.ts';

const DIGITS = 6;

/** Quota units as US dollars. */
export function Money({ units }: { units: number }) {
  const words = new Intl.NumberFormat(locale(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: DIGITS,
    maximumFractionDigits: DIGITS,
    // Minus zero is nothing.
  }).format(units === 0 ? 0 : units / UNITS_PER_DOLLAR);
  const fine = words.slice(2 - DIGITS);
  return (
    <span className="money">
      {words.slice(0, 2 - DIGITS)}
      {fine === '0000' ? <i className="fine none">0000</i> : <i className="fine">{fine}</i>}
    </span>
  );
}
