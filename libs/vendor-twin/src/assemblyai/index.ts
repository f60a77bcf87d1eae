import { same } from '../core/auth.ts';
import { apiKey, apiKeyOf, type Vendor } from '../core/vendor.ts';
import { refuseAsAssemblyAi } from './errors.ts';
import { ROUTES } from './generated/routes.ts';

/** AssemblyAI: transcripts of recordings, made by jobs. */
export const assemblyai: Vendor<'assemblyai'> = {
  name: 'assemblyai',
  standsFor: [{ vendor: 'assemblyai' }],
  credentials: apiKey('assemblyai'),
  basePath: '',
  routes: ROUTES,
  refuse: refuseAsAssemblyAi,
  authenticate(exchange) {
    if (!same(exchange.header('authorization'), apiKeyOf('assemblyai'))) throw refuseAsAssemblyAi(401);
  },
};
