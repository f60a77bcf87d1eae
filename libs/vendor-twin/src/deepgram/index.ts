import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsDeepgram } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Deepgram: transcripts of recordings, and speech. */
export const deepgram: Vendor<'deepgram'> = {
  name: 'deepgram',
  standsFor: [{ vendor: 'deepgram' }],
  credentials: apiKey('deepgram'),
  basePath: '',
  routes: ROUTES,
  refuse: refuseAsDeepgram,
  authenticate(exchange) {
    const key = /^Token (.+)$/i.exec(exchange.header('authorization') ?? '')?.[1];
    if (!same(key, apiKeyOf('deepgram'))) throw refuseAsDeepgram(401);
  },
};
