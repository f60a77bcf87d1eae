/** Voyage against the twin (docs/wire/voyage.md). */
import { describeEmbeddingAdapter, describeRerankAdapter } from '@model-gateway/testing';
import { voyage } from './voyage.ts';

describeEmbeddingAdapter(voyage, 'voyage', { model: 'voyage-4' });
describeEmbeddingAdapter(voyage, 'voyage', { model: 'voyage-multimodal-3.5' });
describeRerankAdapter(voyage, 'voyage', { model: 'rerank-2.5' });
