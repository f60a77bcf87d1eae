import { compatibleChat } from '@model-gateway/provider-kit';

export const chat = compatibleChat({ 'anthropic-messages': '/v1/messages' });
