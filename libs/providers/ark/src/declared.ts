import { declareApiKey, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Volcengine Ark and BytePlus ModelArk. */
export const ark: DeclaredVendor = {
  id: 'ark',
  declares: {
    title: 'Volcengine Ark',
    platform: '54',
    ...declareApiKey('https://ark.cn-beijing.volces.com/api/v3'),
  },
};
