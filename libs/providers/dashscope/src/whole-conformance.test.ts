/** Answers that come whole, against the twin. */
import { describeEmbeddingAdapter, describeRerankAdapter } from '@model-gateway/testing';
import { dashscope } from './adapter.ts';

describeEmbeddingAdapter(dashscope, 'dashscope', { model: 'text-embedding-v4' });
describeRerankAdapter(dashscope, 'dashscope', { model: 'qwen3-rerank' });
