import { compatibleChat } from '@model-gateway/provider-kit';

export const chat = compatibleChat({ 'openai-chat': '/compatibility/v1/chat/completions' });
