import { type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { signKlingToken } from './sign.ts';
import { subjects } from './subjects.ts';

/** Kling's own open API. */
export const kling: VendorAdapter = {
  id: 'kling',
  ...CAPABILITIES,
  subjects,
  declares: {
    title: 'Kling',
    platform: '50',
    baseUrl: 'https://api-singapore.klingai.com',
    credentials: {
      access_key: { about: 'The first half of the pair that signs tokens.', secret: true },
      secret_key: { about: 'The second half of the pair that signs tokens.', secret: true },
      api_key: { about: 'The one key of the newer kind of account, instead of a pair.', secret: true },
    },
    sufficient: [['access_key', 'secret_key'], ['api_key']],
    quirks: QUIRKS,
    refuseModel: ({ model }) =>
      model.startsWith('kling-')
        ? undefined
        : `'${model}' is not a model name Kling understands; it wants one of its own, such as kling-v3-omni`,
  },
  authorize(_request, { credentials }, now) {
    // The newer kind of account has one key instead of a pair.
    const token =
      credentials['api_key'] ??
      signKlingToken(credentials['access_key'] ?? '', credentials['secret_key'] ?? '', Math.floor(now / 1000));
    return { authorization: `Bearer ${token}` };
  },
  readFault,
};
