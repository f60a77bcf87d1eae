import { type ProviderAdapter } from '@model-gateway/provider-kit';
import { chat, readChatFault } from './chat.ts';
import { readFault } from './fault.ts';
import { images } from './images.ts';
import { videos } from './videos.ts';

/** Volcengine Ark and BytePlus ModelArk. */
export const ark: ProviderAdapter = {
  id: 'ark',
  chat,
  images,
  videos,
  authorize: (_request, account) => ({ authorization: `Bearer ${account.credentials['api_key'] ?? ''}` }),
  readFault: (reply) => readChatFault(reply) ?? readFault(reply),
};
