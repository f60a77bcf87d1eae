import { same } from '../core/auth.ts';
import { apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsGoogle, refuseKey } from '../gemini/errors.ts';
import { requireAccessToken, serviceAccount, tokenRoute } from '../google-video/token.ts';
import { ROUTES } from './generated/routes.ts';

/** Google Cloud's Text-to-Speech and Speech-to-Text, under a service account or a key. */
export const googleSpeech: Vendor<'google-speech'> = {
  name: 'google-speech',
  standsFor: [{ vendor: 'google-speech' }, { vendor: 'google-speech', wire: 'speech-to-text' }],
  // Not spread, which would look at the key.
  credentials: (url) =>
    Object.assign(serviceAccount(), url === undefined ? undefined : { token_uri: `${url}/vertex/token` }),
  basePath: '',
  routes: [tokenRoute, ...ROUTES],
  refuse: refuseAsGoogle,
  authenticate(exchange) {
    const key = exchange.header('x-goog-api-key');
    if (key === undefined) requireAccessToken(exchange);
    else if (!same(key, apiKeyOf('google-speech'))) throw refuseKey(key);
  },
};
