// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Route } from '../../core/vendor.ts';
import { routes as batches } from '../batches.ts';
import { routes as cachedContents } from '../cached-contents.ts';
import { routes as embeddings } from '../embeddings.ts';
import { routes as live } from '../live.ts';

/** What the vendor answers by those files of its folder that export `routes`. */
export const ROUTES: readonly Route[] = [...batches, ...cachedContents, ...embeddings, ...live];
