/** What chat counts besides its attempts: tokens under OpenTelemetry's GenAI names. */
import type { Usage } from '@model-gateway/contracts';
import type { Parts } from '../../parts.ts';

/** Semantic conventions of generative AI, as of 2026-11 (status: development). */
const TOKEN_USAGE = 'gen_ai.client.token.usage';
/** Names of the conventions where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = { gemini: 'gcp.gemini', xai: 'x_ai' };

/** What an answer took, as billed. */
export function countTokens(
  { meter }: Pick<Parts, 'meter'>,
  usage: Usage,
  model: string,
  vendor: string | undefined,
): void {
  const labels = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDERS[vendor ?? ''] ?? vendor ?? 'unknown',
    'gen_ai.request.model': model,
  };
  meter.observe(TOKEN_USAGE, usage.inputTokens ?? 0, { ...labels, 'gen_ai.token.type': 'input' });
  meter.observe(TOKEN_USAGE, usage.outputTokens ?? 0, { ...labels, 'gen_ai.token.type': 'output' });
}
