import { listAt, malformedReply, textAt, valueAt, type ModelListAdapter } from '@model-gateway/provider-kit';

/** GET /v1/models (docs/wire/elevenlabs.md#models): models that speak. Transcription and music are not in it. */
export const modelList: ModelListAdapter = {
  kinds: ['speech'],
  async list(upstream) {
    const { json } = await upstream.send({ method: 'GET', path: '/v1/models' });
    if (!Array.isArray(json)) throw malformedReply('a list of models that is no list');
    return listAt(json).flatMap((item) => {
      const id = textAt(item, 'model_id');
      // Others change voices.
      return id === undefined || valueAt(item, 'can_do_text_to_speech') !== true ? [] : [{ id, kind: 'speech' }];
    });
  },
};
