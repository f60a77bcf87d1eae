import { bearer, same } from '../core/auth.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { miniMaxRefusal, refuseAsMiniMax, videoRoutes } from './videos.ts';

/** MiniMax: Hailuo videos, API v1. Errors come on HTTP 200. */
export const minimax: Vendor<'minimax'> = {
  name: 'minimax',
  standsFor: [{ vendor: 'minimax' }],
  credentials: apiKey('minimax'),
  basePath: '/v1',
  routes: videoRoutes,
  refuse: refuseAsMiniMax,
  authenticate: (exchange) => {
    const key = bearer(exchange);
    if (key === undefined) throw refuseAsMiniMax(401);
    if (!same(key, apiKeyOf('minimax'))) throw miniMaxRefusal(2049, 'invalid api key');
  },
};
