import { isJsonObject } from '@model-gateway/contracts';
import { listAt, malformedReply, textAt, type ModerationAdapter } from '@model-gateway/provider-kit';

/** POST /moderations (docs/wire/moderation.md#openai). It reports no usage. */
export const moderations: ModerationAdapter = {
  async moderate({ input, extra }, upstream) {
    const json = { ...extra, model: upstream.model, input: input as string[] };
    const reply = await upstream.send({ method: 'POST', path: '/moderations', json });
    const id = textAt(reply.json, 'id');
    const results = listAt(reply.json, 'results').map((result) => {
      if (isJsonObject(result)) return result;
      throw malformedReply('a result of it is none');
    });
    return { results, usage: {}, dropped: [], ...(id !== undefined && { id }) };
  },
};
