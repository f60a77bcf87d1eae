import { bearer, same } from '../core/auth.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import { modelRoutes } from '../openai/models.ts';
import { refuseAsCompatible, refuseAsDashScope } from './errors.ts';
import { ROUTES } from './generated/routes.ts';
import { imageRoutes } from './images.ts';
import { taskRoutes } from './tasks.ts';
import { videoRoute } from './videos.ts';

const CHAT = ['qwen3-max', 'qwen-plus', 'qwen3-vl-plus'];
const COMPATIBLE = '/compatible-mode/v1';

/** Alibaba DashScope: HappyHorse and Wan videos, Qwen and Wan images, chat in OpenAI's dialect beside them. */
export const dashscope: Vendor<'dashscope'> = {
  name: 'dashscope',
  standsFor: [{ vendor: 'dashscope' }],
  credentials: apiKey('dashscope'),
  basePath: '/api/v1',
  routes: [
    videoRoute,
    ...imageRoutes,
    ...taskRoutes,
    ...ROUTES,
    ...[
      chatRoute(`${COMPATIBLE}/chat/completions`, { strict: false, showsReasoning: true }),
      ...modelRoutes(COMPATIBLE, 'system', CHAT),
    ].map((route) => ({ ...route, refuse: refuseAsCompatible })),
  ],
  refuse: refuseAsDashScope,
  authenticate: (exchange) => {
    if (!same(bearer(exchange), apiKeyOf('dashscope'))) throw exchange.refusal(401);
  },
};
