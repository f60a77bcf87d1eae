import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsElevenLabs } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** ElevenLabs: speech, and transcripts of recordings. */
export const elevenlabs: Vendor<'elevenlabs'> = {
  name: 'elevenlabs',
  standsFor: [{ vendor: 'elevenlabs' }],
  credentials: apiKey('elevenlabs'),
  basePath: '',
  routes: ROUTES,
  refuse: refuseAsElevenLabs,
  authenticate(exchange) {
    if (!same(exchange.header('xi-api-key'), apiKeyOf('elevenlabs'))) throw refuseAsElevenLabs(401);
  },
};
