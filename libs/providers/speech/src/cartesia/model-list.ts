import type { Json } from '@model-gateway/contracts';
import { listAt, malformedReply, textAt, valueAt, type ModelListAdapter } from '@model-gateway/provider-kit';

/** GET /models (docs/wire/cartesia.md#models). */
export const modelList: ModelListAdapter = {
  kinds: ['speech', 'transcription'],
  async list(upstream) {
    const { json } = await upstream.send({ method: 'GET', path: '/models' });
    // Older versions answer with the list itself.
    const items = Array.isArray(json) ? json : valueAt(json, 'data');
    if (!Array.isArray(items)) throw malformedReply('a list of models without data');
    return listAt(items).flatMap((item) => {
      const id = textAt(item, 'id');
      return id === undefined ? [] : [{ id, kind: kindOf(id, item) }];
    });
  },
};

/** Sonic speaks and Ink hears, whatever else is said of a model. */
function kindOf(id: string, item: Json): 'speech' | 'transcription' {
  if (/^(?:sonic|ink)\b/.test(id)) return id.startsWith('ink') ? 'transcription' : 'speech';
  return textAt(item, 'capability') === 'stt' ? 'transcription' : 'speech';
}
