import { GatewayError } from '@model-gateway/contracts';
import type { ChatAdapter, ChatCall } from '@model-gateway/provider-kit';

/** generateContent, streamed as SSE, and countTokens (docs/wire/gemini-generate.md#transport). `api_version` of the account is `v1beta` unless set. */
export const chat: ChatAdapter = {
  dialects: ['gemini-generate'],
  request(call) {
    if (call.dialect !== 'gemini-generate') {
      throw new GatewayError('internal', `this vendor does not speak ${call.dialect}`);
    }
    return {
      method: 'POST',
      path: modelPath(call.model, verbOf(call), call.settings),
      headers: { ...call.headers, 'content-type': 'application/json' },
      body: call.body,
    };
  },
};

function verbOf({ purpose, stream }: ChatCall): string {
  if (purpose === 'count') return 'countTokens';
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

/** `/v1beta/models/<model>:<verb>`; a model that says its own collection (`tunedModels/…`) keeps it. */
export function modelPath(model: string, verb: string, settings: Readonly<Record<string, string>>): string {
  const name = model.includes('/') ? model : `models/${model}`;
  return `/${settings['api_version'] ?? 'v1beta'}/${name.split('/').map(encodeURIComponent).join('/')}:${verb}`;
}
