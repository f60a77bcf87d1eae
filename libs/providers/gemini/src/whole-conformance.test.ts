/** Answers that come whole, against the twin. */
import { describeEmbeddingAdapter } from '@model-gateway/testing';
import { gemini } from './index.ts';

describeEmbeddingAdapter(gemini, 'gemini', { model: 'gemini-embedding-001' });
