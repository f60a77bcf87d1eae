import type { Exchange } from '../core/exchange.ts';
import type { Route } from '../core/vendor.ts';
import { kindOf, MODEL_NAMES } from './models.ts';

const RETIRED = 'fal-ai/flux-pro/v1.1';
/** Short, so that lists have pages. */
const PAGE = 2;

/** fal has it on a host of its own, which asks for no key (docs/wire/fal.md#list-of-models). */
export const listRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/models', operation: 'models', open: true, handle: list },
];

function list(exchange: Exchange): void {
  const { query } = exchange;
  const [category, status] = [query.get('category'), query.get('status')];
  const all = MODEL_NAMES.map(entry).filter(
    ({ metadata }) =>
      (category === null || metadata.category === category) && (status === null || metadata.status === status),
  );
  const start = Number(Buffer.from(query.get('cursor') ?? '', 'base64').toString() || 0);
  const end = start + PAGE;
  const hasMore = end < all.length;
  exchange.reply(200, {
    models: all.slice(start, end),
    next_cursor: hasMore ? Buffer.from(String(end)).toString('base64') : null,
    has_more: hasMore,
  });
}

function entry(id: string) {
  const from = /image-to-video|kontext/.test(id) ? 'image' : 'text';
  const category = `${from}-to-${kindOf(id)}`;
  return {
    endpoint_id: id,
    metadata: { display_name: id, category, status: id === RETIRED ? 'deprecated' : 'active' },
  };
}
