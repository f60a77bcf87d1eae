import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsRunway, taskRoutes, VERSION } from './tasks.ts';

/** Runway: films and pictures as tasks. */
export const runway: Vendor<'runway'> = {
  name: 'runway',
  standsFor: [{ vendor: 'runway' }],
  credentials: apiKey('runway'),
  basePath: '/v1',
  routes: taskRoutes,
  refuse: refuseAsRunway,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('runway'))) throw refuseAsRunway(401);
    if (exchange.header('x-runway-version') !== VERSION) {
      throw refuseAsRunway(400, {
        message: `The X-Runway-Version header is required; the current version is ${VERSION}.`,
      });
    }
  },
};
