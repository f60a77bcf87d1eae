import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsBfl, taskRoutes } from './tasks.ts';

/** Black Forest Labs: FLUX. */
export const bfl: Vendor<'bfl'> = {
  name: 'bfl',
  standsFor: [{ vendor: 'bfl' }],
  credentials: apiKey('bfl'),
  basePath: '/v1',
  routes: taskRoutes,
  refuse: refuseAsBfl,
  authenticate: (exchange) => {
    const key = exchange.header('x-key');
    if (key === undefined || !same(key, apiKeyOf('bfl'))) throw refuseAsBfl(403);
  },
};
