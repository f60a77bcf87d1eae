import { bearer, same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsCartesia } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** Cartesia: speech, and transcripts of recordings. */
export const cartesia: Vendor<'cartesia'> = {
  name: 'cartesia',
  standsFor: [{ vendor: 'cartesia' }],
  credentials: apiKey('cartesia'),
  basePath: '',
  routes: ROUTES,
  refuse: refuseAsCartesia,
  authenticate(exchange) {
    if (!same(bearer(exchange), apiKeyOf('cartesia'))) throw refuseAsCartesia(401);
    // Older versions answer otherwise.
    if (!/^202\d-\d\d-\d\d$/.test(exchange.header('cartesia-version') ?? ''))
      throw refuseAsCartesia(400, { message: 'The Cartesia-Version header is required.' });
  },
};
