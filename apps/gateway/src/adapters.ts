/** Every vendor the gateway can speak to: one line each. */
import type { Vendor, VendorAdapter, VendorFacts } from '@model-gateway/provider-kit';
import { anthropic } from '@model-gateway/provider-anthropic';
import { ark } from '@model-gateway/provider-ark';
import { bedrock } from '@model-gateway/provider-bedrock';
import { dashscope } from '@model-gateway/provider-dashscope';
import { gemini, googleSpeech, vertex } from '@model-gateway/provider-gemini';
import { bfl, fal, luma, pixverse, replicate, runway } from '@model-gateway/provider-jobs';
import { kling } from '@model-gateway/provider-kling';
import { mimo } from '@model-gateway/provider-mimo';
import { minimax } from '@model-gateway/provider-minimax';
import {
  azure,
  azureSpeech,
  cohere,
  ideogram,
  jina,
  ollama,
  openai,
  openaiCompatible,
  recraft,
  stability,
  voyage,
} from '@model-gateway/provider-openai';
import { assemblyai, cartesia, deepgram, elevenlabs } from '@model-gateway/provider-speech';
import { tencentVod } from '@model-gateway/provider-tencent-vod';
import { veo } from '@model-gateway/provider-veo';
import { VENDOR_FACTS } from './generated/vendor-facts.ts';

const all: readonly Vendor[] = [
  openai,
  openaiCompatible,
  azure,
  azureSpeech,
  cohere,
  jina,
  voyage,
  ollama,
  anthropic,
  bedrock,
  gemini,
  vertex,
  googleSpeech,
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
  ideogram,
  recraft,
  bfl,
  runway,
  luma,
  pixverse,
];

/** A vendor as a configuration is checked against it: what it declares, and what its adapter can do. */
export type KnownVendor = Vendor & VendorFacts;

const NOTHING: VendorFacts = { capabilities: [], dialects: [], listsModels: false, signsBodies: false, quirks: {} };

/** Vendors by the `vendor` word of an account. */
export const vendors: ReadonlyMap<string, KnownVendor> = new Map(
  all.map((vendor) => {
    const facts = VENDOR_FACTS[vendor.id] ?? NOTHING;
    return [vendor.id, { ...vendor, ...facts, declares: { ...vendor.declares, quirks: facts.quirks } }];
  }),
);

/** The adapters that are loaded, by the `vendor` word of an account. */
export class LoadedAdapters {
  readonly #loaded = new Map<string, VendorAdapter>();

  /** It grows, and never shrinks. */
  get all(): ReadonlyMap<string, VendorAdapter> {
    return this.#loaded;
  }

  /** The adapter of a vendor, which is loaded unless it is; undefined where there is no such vendor. */
  async of(vendor: string): Promise<VendorAdapter | undefined> {
    const known = vendors.get(vendor);
    if (known !== undefined && !this.#loaded.has(vendor)) this.#loaded.set(vendor, await known.load());
    return this.#loaded.get(vendor);
  }

  /** Loads what these accounts are asked by. Accounts that are off are asked nothing. */
  async load(accounts: Iterable<{ readonly vendor: string; readonly on: boolean }>): Promise<void> {
    const asked = new Set([...accounts].filter(({ on }) => on).map(({ vendor }) => vendor));
    await Promise.all([...asked].map((vendor) => this.of(vendor)));
  }
}

const ofThisProcess = new LoadedAdapters();
export const adapters = ofThisProcess.all;
export const adapterOf = (vendor: string): Promise<VendorAdapter | undefined> => ofThisProcess.of(vendor);
export const loadAdapters: LoadedAdapters['load'] = (accounts) => ofThisProcess.load(accounts);

/** The number that `platform` of a task record shows for a vendor, also by a former name of it; '0' where it has none. */
export function platformOf(vendor: string): string {
  const found = vendors.get(vendor) ?? all.find(({ formerIds }) => formerIds?.includes(vendor) === true);
  return found?.declares.platform ?? '0';
}
