import { listedModels, malformedReply, valueAt, type ModelListAdapter } from '@model-gateway/provider-kit';

/** GET /models (docs/wire/openai-chat.md#models): of OpenAI without sizes, of vLLM with `max_model_len`, of OpenRouter and others with `context_length`. */
export const modelList: ModelListAdapter = {
  async list(upstream) {
    const { json } = await upstream.send({ method: 'GET', path: '/models' });
    // Together answers with the list itself.
    const items = Array.isArray(json) ? json : valueAt(json, 'data');
    if (!Array.isArray(items)) throw malformedReply('a list of models without data');
    return listedModels(items, {
      id: 'id',
      maxInputTokens: ['context_length', 'max_model_len'],
      // OpenRouter's prices, as texts; Mistral's and OpenRouter's days of retirement.
      pricePerToken: {
        input: ['pricing', 'prompt'],
        output: ['pricing', 'completion'],
        cached_input: ['pricing', 'input_cache_read'],
      },
      retiresAt: ['deprecation', 'expiration_date'],
    });
  },
};
