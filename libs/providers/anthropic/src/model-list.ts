import { listedModels, malformedReply, valueAt, type ModelListAdapter } from '@model-gateway/provider-kit';

/** More models than there are, in one page. */
const MOST = 1000;

/** GET /v1/models (docs/wire/anthropic-messages.md#counting-and-models). */
export const modelList: ModelListAdapter = {
  async list(upstream) {
    const version = upstream.account.settings['anthropic_version'] ?? '2023-06-01';
    const { json } = await upstream.send({
      method: 'GET',
      path: `/v1/models?limit=${MOST}`,
      headers: { 'anthropic-version': version },
    });
    const items = valueAt(json, 'data');
    if (!Array.isArray(items)) throw malformedReply('a list of models without data');
    return listedModels(items, { id: 'id', maxInputTokens: ['max_input_tokens'], maxOutputTokens: ['max_tokens'] });
  },
};
