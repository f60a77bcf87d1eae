import type { Vendor } from '../core/vendor.ts';
import { geminiVideoRoutes } from '../google-video/operations.ts';
import { requireGoogleKey } from './auth.ts';
import { refuseAsGoogle } from './errors.ts';
import { generateRoutes } from './generate.ts';
import { modelRoutes } from './models.ts';

/** The Gemini API: generateContent, its stream, token counts, Veo's videos, models. */
export const gemini: Vendor = {
  name: 'gemini',
  basePath: '',
  routes: [...generateRoutes, ...geminiVideoRoutes, ...modelRoutes],
  refuse: refuseAsGoogle,
  authenticate: (exchange) => requireGoogleKey(exchange, 'gemini'),
};
