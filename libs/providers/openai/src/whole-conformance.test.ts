/** Answers that come whole, against the twin. */
import { describeEmbeddingAdapter, describeModerationAdapter, describeRerankAdapter } from '@model-gateway/testing';
import { openaiCompatible } from './compatible.ts';
import { openai } from './openai.ts';

describeEmbeddingAdapter(openai, 'openai', { model: 'text-embedding-3-small' });
describeModerationAdapter(openai, 'openai', { model: 'omni-moderation-latest' });
describeRerankAdapter(openaiCompatible, 'openai', { model: 'jina-reranker-v2-base-multilingual' });
