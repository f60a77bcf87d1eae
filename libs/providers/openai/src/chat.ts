import { compatibleChat } from '@model-gateway/provider-kit';

export const chat = compatibleChat({ 'openai-chat': true, 'openai-responses': true, 'openai-completions': true });
