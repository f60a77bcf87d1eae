import type { VendorAdapter } from '@model-gateway/provider-kit';
import { tencentVod as declared } from './declared.ts';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { signTc3 } from './sign.ts';
import { subjects } from './subjects.ts';

export const tencentVod: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  subjects,
  identifiers: ['sub_app_id'],
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
  declares: {
    ...declared.declares,
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
  },
};
