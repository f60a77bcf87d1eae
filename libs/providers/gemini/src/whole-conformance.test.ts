/** Answers that come whole, against the twin. */
import { describeEmbeddingAdapter } from '@model-gateway/testing';
import { gemini } from './adapter.ts';

describeEmbeddingAdapter(gemini, 'gemini', { model: 'gemini-embedding-001' });
