import { listedModels, malformedReply, valueAt, type ModelListAdapter } from '@model-gateway/provider-kit';

/** More models than there are, in one page. */
const MOST = 1000;

/** GET /v1beta/models (docs/wire/gemini-generate.md#counting-and-models), whose names begin with `models/`. */
export const modelList: ModelListAdapter = {
  async list(upstream) {
    const version = upstream.account.settings['api_version'] ?? 'v1beta';
    const { json } = await upstream.send({ method: 'GET', path: `/${version}/models?pageSize=${MOST}` });
    const items = valueAt(json, 'models');
    if (!Array.isArray(items)) throw malformedReply('a list of models without models');
    const found = listedModels(items, {
      id: 'name',
      maxInputTokens: ['inputTokenLimit'],
      maxOutputTokens: ['outputTokenLimit'],
    });
    return found.map((model) => ({ ...model, id: model.id.replace(/^models\//, '') }));
  },
};
