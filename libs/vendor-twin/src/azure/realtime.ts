import type { Route } from '../core/vendor.ts';
import { routes as ofOpenAi } from '../openai/realtime.ts';
import { onV1 } from './deployments.ts';

export const routes: readonly Route[] = ofOpenAi.map(onV1);
