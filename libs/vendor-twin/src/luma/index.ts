import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { generationRoutes, refuseAsLuma } from './generations.ts';

/** Luma: the Dream Machine API. */
export const luma: Vendor<'luma'> = {
  name: 'luma',
  standsFor: [{ vendor: 'luma' }],
  credentials: apiKey('luma'),
  basePath: '/dream-machine/v1',
  routes: generationRoutes,
  refuse: refuseAsLuma,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('luma'))) throw refuseAsLuma(401);
  },
};
