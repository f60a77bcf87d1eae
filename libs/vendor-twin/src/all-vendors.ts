import type { TwinCredentials } from './core/vendor.ts';
import { anthropic } from './anthropic/index.ts';
import { ark } from './ark/index.ts';
import { azure } from './azure/index.ts';
import { azureSpeech } from './azure-speech/index.ts';
import { bedrock } from './bedrock/index.ts';
import { bfl } from './bfl/index.ts';
import { cohere } from './cohere/index.ts';
import { dashscope } from './dashscope/index.ts';
import { elevenlabs } from './elevenlabs/index.ts';
import { deepgram } from './deepgram/index.ts';
import { assemblyai } from './assemblyai/index.ts';
import { cartesia } from './cartesia/index.ts';
import { fal } from './fal/index.ts';
import { gemini } from './gemini/index.ts';
import { ideogram } from './ideogram/index.ts';
import { googleSpeech } from './google-speech/index.ts';
import { jina } from './jina/index.ts';
import { kie } from './kie/index.ts';
import { kling } from './kling/index.ts';
import { luma } from './luma/index.ts';
import { mimo } from './mimo/index.ts';
import { minimax } from './minimax/index.ts';
import { ollama } from './ollama/index.ts';
import { openai } from './openai/index.ts';
import { pixverse } from './pixverse/index.ts';
import { recraft } from './recraft/index.ts';
import { stability } from './stability/index.ts';
import { replicate } from './replicate/index.ts';
import { runway } from './runway/index.ts';
import { tencentVod } from './tencent-vod/index.ts';
import { veo } from './google-video/index.ts';
import { vertex } from './vertex/index.ts';
import { voyage } from './voyage/index.ts';
import { xai } from './xai/index.ts';

/** Every vendor the twin answers as: one line each. */
export const VENDORS = [
  openai,
  anthropic,
  gemini,
  ark,
  dashscope,
  veo,
  vertex,
  googleSpeech,
  kie,
  tencentVod,
  kling,
  minimax,
  mimo,
  xai,
  azure,
  azureSpeech,
  bedrock,
  cohere,
  jina,
  voyage,
  ollama,
  elevenlabs,
  deepgram,
  cartesia,
  assemblyai,
  stability,
  fal,
  replicate,
  ideogram,
  recraft,
  bfl,
  runway,
  luma,
  pixverse,
] as const;

export type TwinVendor = (typeof VENDORS)[number]['name'];

/** Their names, in the order of the list. */
export const TWIN_VENDORS: readonly TwinVendor[] = VENDORS.map(({ name }) => name);

/** The one set of credentials each vendor of the twin knows; everything else is refused as the vendor refuses it. */
export const TWIN_CREDENTIALS = Object.defineProperties(
  {},
  // Read late: a key pair is made only for who asks.
  Object.fromEntries(VENDORS.map(({ name, credentials }) => [name, { enumerable: true, get: () => credentials() }])),
) as Readonly<Record<TwinVendor, TwinCredentials>>;
