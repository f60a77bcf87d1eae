/** Every vendor the gateway can speak to: one line each. */
import type { VendorAdapter } from '@model-gateway/provider-kit';
import { anthropic } from '@model-gateway/provider-anthropic';
import { ark } from '@model-gateway/provider-ark';
import { bedrock } from '@model-gateway/provider-bedrock';
import { dashscope } from '@model-gateway/provider-dashscope';
import { gemini, vertex } from '@model-gateway/provider-gemini';
import { fal, replicate } from '@model-gateway/provider-jobs';
import { kling } from '@model-gateway/provider-kling';
import { mimo } from '@model-gateway/provider-mimo';
import { minimax } from '@model-gateway/provider-minimax';
import {
  azure,
  cohere,
  jina,
  ollama,
  openai,
  openaiCompatible,
  stability,
  voyage,
} from '@model-gateway/provider-openai';
import { assemblyai, cartesia, deepgram, elevenlabs } from '@model-gateway/provider-speech';
import { tencentVod } from '@model-gateway/provider-tencent-vod';
import { veo } from '@model-gateway/provider-veo';

const all: readonly VendorAdapter[] = [
  openai,
  openaiCompatible,
  azure,
  cohere,
  jina,
  voyage,
  ollama,
  anthropic,
  bedrock,
  gemini,
  vertex,
  ark,
  dashscope,
  veo,
  tencentVod,
  kling,
  minimax,
  mimo,
  elevenlabs,
  deepgram,
  cartesia,
  assemblyai,
  stability,
  fal,
  replicate,
];

/** Adapters by the `vendor` word of an account. */
export const adapters: ReadonlyMap<string, VendorAdapter> = new Map(all.map((adapter) => [adapter.id, adapter]));

/** The number that `platform` of a task record shows for a vendor, also by a former name of it; '0' where it has none. */
export function platformOf(vendor: string): string {
  const adapter = adapters.get(vendor) ?? all.find(({ formerIds }) => formerIds?.includes(vendor) === true);
  return adapter?.declares.platform ?? '0';
}
