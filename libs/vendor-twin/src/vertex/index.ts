import { same } from '../core/auth.ts';
import { apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsGoogle, refuseKey } from '../gemini/errors.ts';
import { vertexVideoRoutes } from '../google-video/operations.ts';
import { requireAccessToken, serviceAccount, tokenRoute } from '../google-video/token.ts';
import { chatRoutes } from './chat.ts';
import { ROUTES } from './generated/routes.ts';

/** Vertex AI: Gemini, Claude, partners' models and Veo, under a service account or a key in express mode. */
export const vertex: Vendor<'vertex'> = {
  name: 'vertex',
  standsFor: [{ vendor: 'vertex' }, { vendor: 'veo', wire: 'vertex' }],
  // Not spread, which would look at the key.
  credentials: (url) =>
    Object.assign(serviceAccount(), url === undefined ? undefined : { token_uri: `${url}/vertex/token` }),
  basePath: '',
  routes: [tokenRoute, ...vertexVideoRoutes, ...chatRoutes, ...ROUTES],
  refuse: refuseAsGoogle,
  authenticate(exchange) {
    const key = exchange.header('x-goog-api-key');
    if (key === undefined) {
      requireAccessToken(exchange);
      if (exchange.params['project'] === undefined) throw refuseAsGoogle(403);
    } else if (!same(key, apiKeyOf('vertex'))) throw refuseKey(key);
  },
};
