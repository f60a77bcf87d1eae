import type { Json } from '@model-gateway/contracts';
import {
  listAt,
  malformedReply,
  textAt,
  valueAt,
  type ListedModel,
  type ModelListAdapter,
} from '@model-gateway/provider-kit';

/** GET /v1/models (docs/wire/deepgram.md#models). Each voice is a model there: offers name their family, which the voice of a request completes. */
export const modelList: ModelListAdapter = {
  kinds: ['speech', 'transcription'],
  async list(upstream) {
    const { json } = await upstream.send({ method: 'GET', path: '/v1/models' });
    const [heard, spoken] = [valueAt(json, 'stt'), valueAt(json, 'tts')];
    if (!Array.isArray(heard) && !Array.isArray(spoken)) throw malformedReply('a list of models without stt and tts');
    return [
      // Of `nova-3-general` the usual name is `nova-3`.
      ...grouped(listAt(heard), 'transcription', (name) => name.replace(/-general$/, '')),
      ...grouped(listAt(spoken), 'speech', (name) => /^aura(?:-\d+)?(?=-)/.exec(name)?.[0] ?? name),
    ];
  },
};

/** Those of one name together, with their own names beside it. */
function grouped(items: readonly Json[], kind: string, nameOf: (canonical: string) => string): readonly ListedModel[] {
  const names = items.flatMap((item) => textAt(item, 'canonical_name') ?? textAt(item, 'name') ?? []);
  return [...Map.groupBy(names, nameOf)].map(([id, all]) => {
    const others = [...new Set(all)].filter((name) => name !== id);
    return { id, kind, ...(others.length > 0 && { otherNames: others }) };
  });
}
