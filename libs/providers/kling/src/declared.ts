import type { DeclaredVendor } from '@model-gateway/provider-kit';

/** Kling's own open API. */
export const kling: DeclaredVendor = {
  id: 'kling',
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
    refuseModel: ({ model }) =>
      model.startsWith('kling-')
        ? undefined
        : `'${model}' is not a model name Kling understands; it wants one of its own, such as kling-v3-omni`,
  },
};
