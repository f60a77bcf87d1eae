/** What chat counts besides its attempts and charges. */
import type { GatewayAccount } from '../../catalogue.ts';
import type { Parts } from '../../parts.ts';

/** A vendor reported more usage than the model's limits allow. */
export function countDisbelieved({ meter }: Pick<Parts, 'meter'>, model: string, account: GatewayAccount): void {
  meter.count('gateway_usage_reports_capped_total', { model, vendor: account.vendor, account: String(account.id) });
}
