import { type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { readVodModel, VOD_NAMES } from './video-body.ts';
import { signTc3 } from './sign.ts';
import { subjects } from './subjects.ts';

/** Tencent Cloud VOD's AIGC tasks: Kling omni and its neighbours, and reusable subjects. */
export const tencentVod: VendorAdapter = {
  id: 'tencent-vod',
  ...CAPABILITIES,
  subjects,
  identifiers: ['sub_app_id'],
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
    quirks: {
      ...QUIRKS,
      videos: {
        model_name: {
          type: 'text',
          about: 'The vendor’s ModelName; wins over the name in `model`, together with `model_version`.',
        },
        model_version: { type: 'text', about: 'The vendor’s ModelVersion.' },
      },
    },
    refuseModel: ({ model, quirks }) =>
      readVodModel(model, quirks) === undefined
        ? `'${model}' is not a model name Tencent VOD understands; it wants <Name>/<Version>, such as Kling/3.0-Omni, with a name among ${VOD_NAMES.join(', ')}`
        : undefined,
  },
  signsBodies: true,
  authorize(request, { credentials }, now) {
    const timestamp = Math.floor(now / 1000);
    return {
      'x-tc-timestamp': String(timestamp),
      // Only temporary credentials have one; an empty header is left out.
      'x-tc-token': credentials['token'] ?? '',
      authorization: signTc3({
        secretId: credentials['secret_id'] ?? '',
        secretKey: credentials['secret_key'] ?? '',
        host: new URL(request.url).host,
        contentType: request.headers['content-type'] ?? '',
        body: request.bodyBytes,
        timestamp,
      }),
    };
  },
  readFault,
};
