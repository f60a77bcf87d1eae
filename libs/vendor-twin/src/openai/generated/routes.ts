// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Route } from '../../core/vendor.ts';
import { routes as batches } from '../batches.ts';
import { routes as completions } from '../completions.ts';
import { routes as embeddings } from '../embeddings.ts';
import { routes as moderations } from '../moderations.ts';
import { routes as realtime } from '../realtime.ts';
import { routes as rerank } from '../rerank.ts';
import { routes as transcriptions } from '../transcriptions.ts';

/** What the vendor answers by those files of its folder that export `routes`. */
export const ROUTES: readonly Route[] = [
  ...batches,
  ...completions,
  ...embeddings,
  ...moderations,
  ...realtime,
  ...rerank,
  ...transcriptions,
];
