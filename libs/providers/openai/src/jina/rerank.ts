import type { RerankAdapter } from '@model-gateway/provider-kit';
import { rerank as ofCompatible } from '../compatible/rerank.ts';

/** Cohere's settings, which Jina has no words for. */
const STRANGERS = ['max_tokens_per_doc', 'priority'];

/** `POST /rerank` (docs/wire/rerank.md#jina), which gives documents back unless it is told not to: who sent them has them. */
export const rerank: RerankAdapter = {
  async rerank(input, upstream) {
    const known = Object.entries(input.body).filter(([name]) => !STRANGERS.includes(name));
    const body = { ...Object.fromEntries(known), return_documents: false };
    const reply = await ofCompatible.rerank({ ...input, body }, upstream);
    const isSaid = (name: string): boolean => (input.body[name] ?? null) !== null;
    return { ...reply, dropped: STRANGERS.filter(isSaid) };
  },
};
