/** Jina against the twin (docs/wire/jina.md). */
import { describeEmbeddingAdapter, describeRerankAdapter } from '@model-gateway/testing';
import { jina } from './jina.ts';

describeEmbeddingAdapter(jina, 'jina', { model: 'jina-embeddings-v3' });
describeRerankAdapter(jina, 'jina', { model: 'jina-reranker-v2-base-multilingual' });
