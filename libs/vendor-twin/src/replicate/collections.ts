import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { MODEL_NAMES } from './models.ts';
import { refuseAsReplicate } from './predictions.ts';

/** By what their models are called (docs/wire/replicate.md#list-of-models). One of the vendor's collections is not there. */
const COLLECTIONS: Readonly<Record<string, RegExp>> = {
  'text-to-image': /flux-(?!kontext)/,
  'image-editing': /kontext/,
  'text-to-video': /kling|seedance/,
};

export const collectionRoutes: readonly Route[] = [
  { method: 'GET', path: /^\/v1\/collections\/(?<slug>[\w-]+)$/, operation: 'models', handle: show },
];

function show(exchange: Exchange): void {
  const slug = exchange.params['slug'] ?? '';
  const names = Object.hasOwn(COLLECTIONS, slug) ? COLLECTIONS[slug] : undefined;
  if (names === undefined) throw refuseAsReplicate(404);
  exchange.reply(200, {
    name: slug,
    slug,
    description: 'A collection.',
    models: MODEL_NAMES.filter((name) => names.test(name)).map((id) => {
      const [owner = '', name = ''] = id.split('/');
      return { url: `https://replicate.com/${id}`, owner, name, description: '', visibility: 'public', run_count: 1 };
    }),
  });
}
