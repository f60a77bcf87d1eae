import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsPixverse, requireTrace, videoRoutes } from './videos.ts';

/** PixVerse: the platform API. */
export const pixverse: Vendor<'pixverse'> = {
  name: 'pixverse',
  standsFor: [{ vendor: 'pixverse' }],
  credentials: apiKey('pixverse'),
  basePath: '/openapi/v2',
  routes: videoRoutes,
  refuse: refuseAsPixverse,
  authenticate: (exchange) => {
    if (!same(exchange.header('api-key'), apiKeyOf('pixverse'))) throw refuseAsPixverse(401);
    requireTrace(exchange);
  },
};
