/** What chat counts: attempts and failures by vendor, cool-downs by account, tokens under OpenTelemetry's GenAI names. */
import { GatewayError, type DialectName, type Usage } from '@model-gateway/contracts';
import type { GatewayAccount, Offer } from '../../catalogue.ts';
import type { Parts } from '../../parts.ts';

/** Semantic conventions of generative AI, as of 2026-11 (status: development). */
const TOKEN_USAGE = 'gen_ai.client.token.usage';

/** One request to a vendor goes out. */
export function countAttempt({ meter }: Pick<Parts, 'meter'>, { account }: Offer, dialect: DialectName): void {
  meter.count('gateway_upstream_attempts_total', { vendor: account.vendor, account: String(account.id), dialect });
}

/** It failed; call it after the router was told. */
export function countFailure(
  { meter, router }: Pick<Parts, 'meter' | 'router'>,
  { account }: Offer,
  error: unknown,
): void {
  const labels = { vendor: account.vendor, account: String(account.id) };
  const code = error instanceof GatewayError ? error.code : 'internal';
  meter.count('gateway_upstream_failures_total', { ...labels, code });
  const [health] = router.health([account]);
  if (health?.state === 'open') meter.count('gateway_account_cool_downs_total', labels);
}

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
