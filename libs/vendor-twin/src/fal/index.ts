import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { listRoutes } from './model-list.ts';
import { queueRoutes, refuseAsFal } from './queue.ts';

/** fal: models of many makers behind one queue. */
export const fal: Vendor<'fal'> = {
  name: 'fal',
  standsFor: [{ vendor: 'fal' }],
  credentials: apiKey('fal'),
  basePath: '',
  routes: [...listRoutes, ...queueRoutes],
  refuse: refuseAsFal,
  authenticate: (exchange) => {
    const given = exchange.header('authorization');
    if (given === undefined) throw refuseAsFal(401);
    const key = /^Key (.+)$/i.exec(given)?.[1];
    if (!same(key, apiKeyOf('fal'))) throw refuseAsFal(401, { message: 'No user found for Key ID and Secret' });
  },
};
