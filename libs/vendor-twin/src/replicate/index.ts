import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { collectionRoutes } from './collections.ts';
import { predictionRoutes, refuseAsReplicate } from './predictions.ts';

/** Replicate: models of many makers as predictions. */
export const replicate: Vendor<'replicate'> = {
  name: 'replicate',
  standsFor: [{ vendor: 'replicate' }],
  credentials: apiKey('replicate'),
  basePath: '/v1',
  routes: [...predictionRoutes, ...collectionRoutes],
  refuse: refuseAsReplicate,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('replicate'))) throw refuseAsReplicate(401);
  },
};
