import { bearer, same } from '../core/auth.ts';
import type { Exchange } from '../core/exchange.ts';
import { type Vendor, apiKey, apiKeyOf } from '../core/vendor.ts';
import { chatRoute } from '../openai/chat.ts';
import { refuseAsOpenAi } from '../openai/errors.ts';
import { modelRoutes } from '../openai/models.ts';
import { isSpeechModel, speak } from './speech.ts';

const MODELS = ['mimo-v2.5-pro', 'mimo-v2.5-tts', 'mimo-v2.5-tts-voicedesign', 'mimo-v2.5-tts-voiceclone'];
const PATH = '/v1/chat/completions';
const chat = chatRoute(PATH, { strict: false, showsReasoning: true });

/** Xiaomi MiMo: speech and chat through the same path, told apart by the model. */
export const mimo: Vendor<'mimo'> = {
  name: 'mimo',
  standsFor: [{ vendor: 'mimo' }],
  credentials: apiKey('mimo'),
  basePath: '/v1',
  routes: [
    {
      method: 'POST',
      path: PATH,
      operation: (exchange) => (isSpeechModel(exchange) ? 'speech' : 'chat'),
      handle: async (exchange: Exchange) => (isSpeechModel(exchange) ? speak(exchange) : chat.handle(exchange)),
    },
    ...modelRoutes('/v1', 'xiaomi', MODELS),
  ],
  refuse: refuseAsOpenAi,
  authenticate: (exchange) => {
    const key = exchange.header('api-key') ?? bearer(exchange);
    if (!same(key, apiKeyOf('mimo'))) throw refuseAsOpenAi(401, { message: 'Invalid API Key.' });
  },
};
