import { bearer, same } from '../core/auth.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { refuseAsAnthropic, requireVersion } from './errors.ts';
import { ROUTES } from './generated/routes.ts';
import { messagesRoutes } from './messages.ts';
import { modelRoutes } from './models.ts';

/** Anthropic: messages, token counts, models. */
export const anthropic: Vendor<'anthropic'> = {
  name: 'anthropic',
  standsFor: [{ vendor: 'anthropic' }],
  credentials: apiKey('anthropic'),
  basePath: '',
  routes: [...messagesRoutes, ...ROUTES, ...modelRoutes],
  refuse: refuseAsAnthropic,
  authenticate: (exchange) => {
    const key = exchange.header('x-api-key') ?? bearer(exchange);
    if (key === undefined) throw refuseAsAnthropic(401, { message: 'x-api-key header is required' });
    if (!same(key, apiKeyOf('anthropic'))) throw refuseAsAnthropic(401);
    requireVersion(exchange);
  },
};
