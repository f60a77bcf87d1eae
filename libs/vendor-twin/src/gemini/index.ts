import { type Vendor, apiKey } from '../core/vendor.ts';
import { geminiVideoRoutes } from '../google-video/operations.ts';
import { requireGoogleKey, refuseAsGoogle } from './errors.ts';
import { generateRoutes } from './generate.ts';
import { ROUTES } from './generated/routes.ts';
import { modelRoutes } from './models.ts';

/** The Gemini API: generateContent, its stream, token counts, Veo's videos, models. */
export const gemini: Vendor<'gemini'> = {
  name: 'gemini',
  standsFor: [{ vendor: 'gemini' }],
  credentials: apiKey('gemini'),
  basePath: '',
  routes: [...generateRoutes, ...ROUTES, ...geminiVideoRoutes, ...modelRoutes],
  refuse: refuseAsGoogle,
  authenticate: (exchange) => requireGoogleKey(exchange, 'gemini'),
};
