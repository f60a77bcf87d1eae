import type { Route } from '../core/vendor.ts';
import { routes as ofOpenAi } from '../openai/embeddings.ts';
import { byDeployment } from './deployments.ts';

export const routes: readonly Route[] = byDeployment(ofOpenAi);
