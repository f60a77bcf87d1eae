import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { signKlingToken } from './sign.ts';
import { subjects } from './subjects.ts';
import { videos } from './videos.ts';

/** Kling's own open API. */
export const kling: ProviderAdapter = {
  id: 'kling',
  videos,
  subjects,
  authorize(_request, { credentials }, now) {
    // The newer kind of account has one key instead of a pair.
    const token =
      credentials['api_key'] ??
      signKlingToken(credentials['access_key'] ?? '', credentials['secret_key'] ?? '', Math.floor(now / 1000));
    return { authorization: `Bearer ${token}` };
  },
  readFault,
};
