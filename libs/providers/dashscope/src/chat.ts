import { compatibleChat } from '@model-gateway/provider-kit';

/** Compatible mode lives beside `/api/v1`, not below it: the dots lead out of the base, whatever host or prefix the account has. */
export const COMPATIBLE = '/../../compatible-mode/v1';

/** Qwen and its guests in OpenAI's wire (docs/wire/dashscope.md#addresses-and-headers names the hosts). */
export const chat = compatibleChat({
  'openai-chat': `${COMPATIBLE}/chat/completions`,
  'openai-responses': `${COMPATIBLE}/responses`,
});
