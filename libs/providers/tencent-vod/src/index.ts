import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { signTc3 } from './sign.ts';
import { subjects } from './subjects.ts';
import { videos } from './videos.ts';

/** Tencent Cloud VOD's AIGC tasks: Kling omni and its neighbours, and reusable subjects. */
export const tencentVod: ProviderAdapter = {
  id: 'tencent-vod',
  videos,
  subjects,
  identifiers: ['sub_app_id'],
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
