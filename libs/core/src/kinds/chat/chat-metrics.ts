/** What chat counts besides its attempts: tokens under OpenTelemetry's GenAI names. */
import type { Usage } from '@model-gateway/contracts';
import type { GatewayAccount } from '../../catalogue.ts';
import type { Parts } from '../../parts.ts';

/** Semantic conventions of generative AI, as of 2026-11 (status: development). */
const TOKEN_USAGE = 'gen_ai.client.token.usage';

/** What an answer took, as billed. */
export function countTokens(
  { meter }: Pick<Parts, 'meter'>,
  usage: Usage,
  model: string,
  account: GatewayAccount | undefined,
): void {
  const labels = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': account?.telemetryName ?? account?.provider ?? account?.vendor ?? 'unknown',
    'gen_ai.request.model': model,
  };
  meter.observe(TOKEN_USAGE, usage.inputTokens ?? 0, { ...labels, 'gen_ai.token.type': 'input' });
  meter.observe(TOKEN_USAGE, usage.outputTokens ?? 0, { ...labels, 'gen_ai.token.type': 'output' });
}

/** A vendor reported more usage than the model's limits allow. */
export function countDisbelieved({ meter }: Pick<Parts, 'meter'>, model: string, account: GatewayAccount): void {
  meter.count('gateway_usage_reports_capped_total', { model, vendor: account.vendor, account: String(account.id) });
}
