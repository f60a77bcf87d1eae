import { type Vendor, apiKey } from '../core/vendor.ts';
import { requireGoogleKey, refuseAsGoogle } from '../gemini/errors.ts';
import { geminiVideoRoutes } from './operations.ts';

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
