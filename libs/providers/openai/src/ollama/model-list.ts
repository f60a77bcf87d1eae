import { listedModels, malformedReply, valueAt, type ModelListAdapter } from '@model-gateway/provider-kit';

/** GET /api/tags (docs/wire/local-servers.md#ollama): the models that were pulled. */
export const modelList: ModelListAdapter = {
  async list(upstream) {
    const { json } = await upstream.send({ method: 'GET', path: '/api/tags' });
    const items = valueAt(json, 'models');
    if (!Array.isArray(items)) throw malformedReply('a list of models without models');
    return listedModels(items, { id: 'name' });
  },
};
