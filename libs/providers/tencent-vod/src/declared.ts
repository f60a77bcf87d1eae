import type { JsonObject } from '@model-gateway/contracts';
import { textAt, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Tencent Cloud VOD's AIGC tasks: Kling omni and its neighbours, and reusable subjects. */
export const tencentVod: DeclaredVendor = {
  id: 'tencent-vod',
  declares: {
    title: 'Tencent Cloud VOD',
    platform: '23',
    baseUrl: 'https://vod.tencentcloudapi.com',
    credentials: {
      secret_id: { about: 'The id of the pair that signs requests.', secret: true },
      secret_key: { about: 'The key of the pair that signs requests.', secret: true },
      sub_app_id: { about: 'The number of the VOD application that is billed.', secret: false },
      token: { about: 'The session token of temporary credentials.', secret: true },
    },
    sufficient: [['secret_id', 'secret_key', 'sub_app_id']],
    settings: {
      sub_app_id: { type: 'text', about: 'The same as the credential of this name, which is no secret.' },
      input_region: {
        values: ['Mainland', 'Oversea'],
        about: 'Where the vendor fetches the caller’s pictures and videos from.',
      },
    },
    refuseModel: ({ model, quirks }) =>
      readVodModel(model, quirks) === undefined
        ? `'${model}' is not a model name Tencent VOD understands; it wants <Name>/<Version>, such as Kling/3.0-Omni, with a name among ${VOD_NAMES.join(', ')}`
        : undefined,
  },
};

/** A model as CreateAigcVideoTask wants it named (docs/wire/tencent-vod.md#create). */
export interface VodModel {
  readonly name: string;
  readonly version: string;
}

/** The makers whose models Tencent VOD serves, as its ModelName spells them. */
const VOD_NAMES = ['Kling', 'Vidu', 'Hailuo', 'Hunyuan', 'Mingmou', 'GV', 'OS', 'PixVerse'];
const KNOWN: Readonly<Record<string, VodModel>> = {
  'kling-v3-omni': { name: 'Kling', version: '3.0-Omni' },
  'kling-v3': { name: 'Kling', version: '3.0' },
  'kling-video-o1': { name: 'Kling', version: 'O1' },
};

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
