/** Answers that come whole, against the twin. */
import { describeEmbeddingAdapter } from '@model-gateway/testing';
import { ark } from './adapter.ts';

describeEmbeddingAdapter(ark, 'ark', { model: 'doubao-embedding-large-text-250515' });
