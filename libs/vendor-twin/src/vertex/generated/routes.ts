// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Route } from '../../core/vendor.ts';
import { routes as embeddings } from '../embeddings.ts';
import { routes as music } from '../music.ts';

/** What the vendor answers by those files of its folder that export `routes`. */
export const ROUTES: readonly Route[] = [...embeddings, ...music];
