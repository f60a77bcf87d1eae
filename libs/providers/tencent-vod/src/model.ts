import { GatewayError, type JsonObject } from '@model-gateway/contracts';
import { textAt } from '@model-gateway/provider-kit';

/** A model as CreateAigcVideoTask wants it named (video.md §5.3). */
export interface VodModel {
  readonly name: string;
  readonly version: string;
}

const VENDORS = ['Kling', 'Vidu', 'Hailuo', 'Hunyuan', 'Mingmou', 'GV', 'OS', 'PixVerse'];
const KNOWN: Readonly<Record<string, VodModel>> = {
  'kling-v3-omni': { name: 'Kling', version: '3.0-Omni' },
  'kling-v3': { name: 'Kling', version: '3.0' },
  'kling-video-o1': { name: 'Kling', version: 'O1' },
};

/** Reads an offer's model: `Kling/3.0-Omni`, `Kling-3.0-Omni`, Kling's own names; quirks `model_name` and `model_version` win. */
export function vodModel(model: string, quirks: JsonObject): VodModel {
  const name = textAt(quirks, 'model_name');
  const version = textAt(quirks, 'model_version');
  if (name !== undefined && version !== undefined) return { name, version };
  const known = KNOWN[model.toLowerCase()];
  if (known !== undefined) return known;
  const vendor = VENDORS.find((candidate) => new RegExp(`^${candidate}[/ -].`, 'i').test(model));
  if (vendor !== undefined) return { name: vendor, version: model.slice(vendor.length + 1) };
  throw new GatewayError(
    'upstream_unavailable',
    'the offer of this model names no vendor and version, such as Kling/3.0-Omni',
    {
      taken: 'no',
    },
  );
}

/** Whether a Kling model takes references and subjects: only the omni ones do. */
export function isOmni(model: VodModel): boolean {
  return /omni|^o\d/i.test(model.version);
}
