import type { Vendor } from '../core/vendor.ts';
import { requireGoogleKey } from '../gemini/auth.ts';
import { refuseAsGoogle } from '../gemini/errors.ts';
import { geminiVideoRoutes, vertexVideoRoutes } from './operations.ts';
import { requireAccessToken, tokenRoute } from './token.ts';

/** Veo over the Gemini API, with a key of its own. */
export const veo: Vendor = {
  name: 'veo',
  basePath: '',
  routes: geminiVideoRoutes,
  refuse: refuseAsGoogle,
  authenticate: (exchange) => requireGoogleKey(exchange, 'veo'),
};

/** Veo over Vertex AI, under a service account. */
export const vertex: Vendor = {
  name: 'vertex',
  basePath: '',
  routes: [tokenRoute, ...vertexVideoRoutes],
  refuse: refuseAsGoogle,
  authenticate: requireAccessToken,
};
