import { bearer, same } from '../core/auth.ts';
import { apiKeyOf, type Vendor } from '../core/vendor.ts';
import { converseRoutes } from './converse.ts';
import { refuseAsAws } from './errors.ts';
import { ROUTES } from './generated/routes.ts';
import { invokeRoutes } from './invoke.ts';
import { AWS_KEYS, requireSignature } from './signature.ts';

/** Amazon Bedrock's runtime: Converse, InvokeModel for Claude, vectors, counts; a Bedrock API key or a signature. */
export const bedrock: Vendor<'bedrock'> = {
  name: 'bedrock',
  standsFor: [{ vendor: 'bedrock' }, { vendor: 'bedrock', wire: 'converse' }, { vendor: 'bedrock', wire: 'invoke' }],
  credentials: () => ({ api_key: apiKeyOf('bedrock'), ...AWS_KEYS }),
  basePath: '',
  routes: [...invokeRoutes, ...converseRoutes, ...ROUTES],
  refuse: refuseAsAws,
  authenticate(exchange) {
    const key = bearer(exchange);
    if (key === undefined) requireSignature(exchange);
    else if (!same(key, apiKeyOf('bedrock')))
      throw refuseAsAws(403, { message: 'Authentication failed: the API key is not valid.' });
  },
};
