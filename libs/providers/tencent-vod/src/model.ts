import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';

/** A model as CreateAigcVideoTask wants it named (docs/wire/tencent-vod.md#create). */
export interface VodModel {
  readonly name: string;
  readonly version: string;
}

/** The makers whose models Tencent VOD serves, as its ModelName spells them. */
export const VOD_NAMES = ['Kling', 'Vidu', 'Hailuo', 'Hunyuan', 'Mingmou', 'GV', 'OS', 'PixVerse'];
const KNOWN: Readonly<Record<string, VodModel>> = {
  'kling-v3-omni': { name: 'Kling', version: '3.0-Omni' },
  'kling-v3': { name: 'Kling', version: '3.0' },
  'kling-video-o1': { name: 'Kling', version: 'O1' },
};

/** The vendor and version that an offer's model stands for; configurations without one do not start. */
export function vodModel(model: string, quirks: JsonObject): VodModel {
  const read = readVodModel(model, quirks);
  if (read !== undefined) return read;
  throw new GatewayError('internal', 'the offer of this model names no vendor and version', { taken: 'no' });
}

/** Reads `Kling/3.0-Omni`, `Kling-3.0-Omni`, Kling's own names; quirks `model_name` and `model_version` win. */
export function readVodModel(model: string, quirks: JsonObject): VodModel | undefined {
  const name = textAt(quirks, 'model_name');
  const version = textAt(quirks, 'model_version');
  if (name !== undefined && version !== undefined) return { name, version };
  const known = KNOWN[model.toLowerCase()];
  if (known !== undefined) return known;
  const vendor = VOD_NAMES.find((candidate) => new RegExp(`^${candidate}[/ -].`, 'i').test(model));
  return vendor === undefined ? undefined : { name: vendor, version: model.slice(vendor.length + 1) };
}

/** Whether a Kling model takes references and subjects: only the omni ones do. */
export function isOmni(model: VodModel): boolean {
  return /omni|^o\d/i.test(model.version);
}
