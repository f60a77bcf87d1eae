import type { Json } from '@model-gateway/contracts';
import {
  listAt,
  malformedReply,
  numberAt,
  textAt,
  valueAt,
  type ListedModel,
  type ModelListAdapter,
  type Upstream,
} from '@model-gateway/provider-kit';

/** Models that are asked about at the same time. */
const AT_ONCE = 4;
/** Of a longer list the rest is named without its details. */
const MOST_ASKED = 100;

/** `GET /api/tags`, and of each model `POST /api/show` (docs/wire/local-servers.md#ollamas-models). */
export const modelList: ModelListAdapter = {
  async list(upstream) {
    const { json } = await upstream.send({ method: 'GET', path: '/api/tags' });
    const items = valueAt(json, 'models');
    if (!Array.isArray(items)) throw malformedReply('a list of models without models');
    const names = items.flatMap((item) => textAt(item, 'model') ?? textAt(item, 'name') ?? []);
    const found: ListedModel[] = names.map((id) => ({ id }));
    const waiting = names.slice(0, MOST_ASKED).entries();
    const worker = async (): Promise<void> => {
      for (const [index, id] of waiting) found[index] = await shown(upstream, id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return found;
  },
};

async function shown(upstream: Upstream, id: string): Promise<ListedModel> {
  try {
    const { json } = await upstream.send({ method: 'POST', path: '/api/show', json: { model: id } });
    return { id, ...detailsIn(json) };
  } catch {
    // It may be gone by now, or another machine has it: its name is there all the same.
    return { id };
  }
}

function detailsIn(json: Json | undefined): Omit<ListedModel, 'id'> {
  const family = textAt(json, 'model_info', 'general.architecture') ?? '';
  const context = numberAt(json, 'model_info', `${family}.context_length`);
  const can = listAt(json, 'capabilities');
  const isChat = can.includes('completion');
  return {
    ...(context !== undefined && { maxInputTokens: context }),
    ...(isChat && { kind: 'chat', thinks: can.includes('thinking') }),
    ...(!isChat && can.includes('embedding') && { kind: 'embedding' }),
    ...(isChat && {
      inputs: [
        'text',
        ...(can.includes('vision') ? (['image'] as const) : []),
        ...(can.includes('audio') ? (['audio'] as const) : []),
      ],
    }),
  };
}
