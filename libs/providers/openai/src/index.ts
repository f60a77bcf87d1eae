import { compatibleChat, type Account, type ProviderAdapter, type SignableRequest } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { images } from './images.ts';
import { speech } from './speech.ts';
import { videos } from './videos.ts';

/** OpenAI, and with another `base_url` anyone who speaks its wire. */
export const openai: ProviderAdapter = {
  id: 'openai',
  chat: compatibleChat({ 'openai-chat': true, 'openai-responses': true }),
  images,
  speech,
  videos,
  authorize,
  readFault,
};

function authorize(_request: SignableRequest, account: Account): Record<string, string> {
  const { organization, project } = account.settings;
  return {
    authorization: `Bearer ${account.credentials['api_key'] ?? ''}`,
    ...(organization !== undefined && { 'openai-organization': organization }),
    ...(project !== undefined && { 'openai-project': project }),
  };
}
