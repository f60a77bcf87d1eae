import { type Vendor, apiKey } from '../core/vendor.ts';
import { requireGoogleKey, refuseAsGoogle } from '../gemini/errors.ts';
import { geminiVideoRoutes, vertexVideoRoutes } from './operations.ts';
import { serviceAccount, requireAccessToken, tokenRoute } from './token.ts';

/** Veo over the Gemini API, with a key of its own. */
export const veo: Vendor<'veo'> = {
  name: 'veo',
  standsFor: [{ vendor: 'veo' }, { vendor: 'veo', wire: 'gemini' }],
  credentials: apiKey('veo'),
  basePath: '',
  routes: geminiVideoRoutes,
  refuse: refuseAsGoogle,
  authenticate: (exchange) => requireGoogleKey(exchange, 'veo'),
};

/** Veo over Vertex AI, under a service account. */
export const vertex: Vendor<'vertex'> = {
  name: 'vertex',
  standsFor: [{ vendor: 'veo', wire: 'vertex' }],
  // Not spread, which would look at the key.
  credentials: (url) =>
    Object.assign(serviceAccount(), url === undefined ? undefined : { token_uri: `${url}/vertex/token` }),
  basePath: '',
  routes: [tokenRoute, ...vertexVideoRoutes],
  refuse: refuseAsGoogle,
  authenticate: requireAccessToken,
};
