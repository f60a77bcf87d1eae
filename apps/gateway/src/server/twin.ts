/** The built-in vendor twin of a deployment: answers test keys always, and live keys while no account has credentials. */
import { join, resolve } from 'node:path';
import { startVendorTwin, type TwinVendor, type VendorTwin } from '@model-gateway/vendor-twin';
import type { TwinLookup } from '../config/catalogue.ts';
import { makePrivateFolder } from './private-folder.ts';

const TWIN_OF: Readonly<Record<string, TwinVendor>> = {
  openai: 'openai',
  'openai xai': 'xai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  ark: 'ark',
  dashscope: 'dashscope',
  veo: 'veo',
  'veo gemini': 'veo',
  'veo vertex': 'vertex',
  'veo kie': 'kie',
  'tencent-vod': 'tencent-vod',
  kling: 'kling',
  minimax: 'minimax',
  mimo: 'mimo',
};

/** Where the twin of a vendor's wire is. */
export function twinLookup(twin: Pick<VendorTwin, 'baseUrl' | 'credentials'>): TwinLookup {
  return (vendor, wire) => {
    const name = TWIN_OF[wire === undefined ? vendor : `${vendor} ${wire}`];
    if (name === undefined) return undefined;
    try {
      return { baseUrl: twin.baseUrl(name), credentials: twin.credentials(name) };
    } catch {
      return undefined;
    }
  };
}

export interface EmbeddedTwinOptions {
  readonly folder: string;
  readonly preferredPort: number;
  readonly videoSeconds: number;
  readonly mediaUrl: () => string;
  readonly clock: () => number;
}

/** Starts the twin on a steady port where it can, so that links and jobs outlive a restart. */
export async function startEmbeddedTwin(options: EmbeddedTwinOptions): Promise<VendorTwin> {
  const folder = resolve(options.folder);
  makePrivateFolder(folder);
  const start = (port: number): Promise<VendorTwin> =>
    startVendorTwin({
      port,
      clock: options.clock,
      seconds: { video: options.videoSeconds },
      mediaUrl: options.mediaUrl,
      mediaCacheFolder: join(folder, 'media'),
      journal: join(folder, 'jobs.jsonl'),
    });
  try {
    return await start(options.preferredPort);
  } catch {
    return start(0);
  }
}
