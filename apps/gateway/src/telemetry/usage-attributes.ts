import type { Attributes } from '@opentelemetry/api';
import type { Usage } from '@model-gateway/contracts';

/** Our counts by the names of OpenTelemetry's conventions for generative AI. */
const NAMES = {
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  inputAudioTokens: 'gen_ai.usage.audio.input_tokens',
  outputAudioTokens: 'gen_ai.usage.audio.output_tokens',
  inputImageTokens: 'gen_ai.usage.image.input_tokens',
  images: 'gateway.usage.images',
  seconds: 'gateway.usage.seconds',
  videos: 'gateway.usage.videos',
  characters: 'gateway.usage.characters',
} as const satisfies Partial<Record<keyof Usage, string>>;

/** What an attempt used, as attributes of its span. */
export function usageAttributes(usage: Usage): Attributes {
  const attributes: Attributes = {};
  for (const [count, name] of Object.entries(NAMES) as [keyof typeof NAMES, string][]) {
    const value = usage[count];
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}
