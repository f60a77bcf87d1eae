import type { RerankAdapter } from '@model-gateway/provider-kit';
import { rerank as ofCompatible } from '../compatible/rerank.ts';

/** `POST /rerank` (docs/wire/rerank.md#jina), which gives documents back unless it is told not to: who sent them has them. */
export const rerank: RerankAdapter = {
  async rerank(input, upstream) {
    const { max_tokens_per_doc: most, ...body } = input.body;
    const reply = await ofCompatible.rerank({ ...input, body: { ...body, return_documents: false } }, upstream);
    return { ...reply, dropped: most === undefined || most === null ? [] : ['max_tokens_per_doc'] };
  },
};
