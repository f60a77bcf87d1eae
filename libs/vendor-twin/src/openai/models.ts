import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { refuseUnknownModel } from './errors.ts';

const CREATED = 1_780_000_000;

/** `GET /models` and `GET /models/{id}`. */
export function modelRoutes(prefix: string, owner: string, names: readonly string[]): Route[] {
  const entry = (id: string): object => ({ id, object: 'model', created: CREATED, owned_by: owner });
  const one = new RegExp(`^${prefix}/models/(?<model>[^/]+)$`);
  return [
    {
      method: 'GET',
      path: `${prefix}/models`,
      operation: 'models',
      handle: (exchange: Exchange) => exchange.reply(200, { object: 'list', data: names.map(entry) }),
    },
    {
      method: 'GET',
      path: one,
      operation: 'models',
      handle: (exchange: Exchange) => {
        const model = exchange.params['model'] ?? '';
        refuseUnknownModel(model);
        exchange.reply(200, entry(model));
      },
    },
  ];
}
