import { isJsonObject } from '@model-gateway/contracts';
import { listAt, malformedReply, type ModerationAdapter } from '@model-gateway/provider-kit';

/** POST /moderations (docs/wire/moderation.md#openai): the body as it came. It reports no usage. */
export const moderations: ModerationAdapter = {
  async moderate({ body }, upstream) {
    const json = { ...body, model: upstream.model };
    const reply = await upstream.send({ method: 'POST', path: '/moderations', json });
    const results = listAt(reply.json, 'results').map((result) => {
      if (isJsonObject(result)) return result;
      throw malformedReply('a result of it is none');
    });
    return { results, usage: {}, dropped: [], body: isJsonObject(reply.json) ? reply.json : {} };
  },
};
