import { ENTRA, entraRoutes, isEntraToken } from '../azure/entra.ts';
import { bearer, same } from '../core/auth.ts';
import { apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsAzureSpeech } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Azure's Speech service: the resource's own address, and a region's two, which have the same paths but for a prefix. */
export const azureSpeech: Vendor<'azure-speech'> = {
  name: 'azure-speech',
  standsFor: [
    { vendor: 'azure-speech' },
    { vendor: 'azure-speech', wire: 'text-to-speech' },
    { vendor: 'azure-speech', wire: 'speech-to-text' },
  ],
  credentials: () => ({ api_key: apiKeyOf('azure-speech'), ...ENTRA }),
  basePath: '',
  routes: [...entraRoutes, ...ROUTES],
  refuse: refuseAsAzureSpeech,
  authenticate(exchange) {
    const key = exchange.header('ocp-apim-subscription-key');
    if (key === undefined ? isEntraToken(exchange, bearer(exchange)) : same(key, apiKeyOf('azure-speech'))) return;
    throw refuseAsAzureSpeech(401);
  },
};
