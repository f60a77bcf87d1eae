// Written by tools/contracts.mjs from the files of this folder. Then run: node tools/contracts.mjs
import type { Route } from '../../core/vendor.ts';
import { routes as modelList } from '../model-list.ts';
import { routes as music } from '../music.ts';
import { routes as speech } from '../speech.ts';
import { routes as transcriptions } from '../transcriptions.ts';

/** What the vendor answers by those files of its folder that export `routes`. */
export const ROUTES: readonly Route[] = [...modelList, ...music, ...speech, ...transcriptions];
