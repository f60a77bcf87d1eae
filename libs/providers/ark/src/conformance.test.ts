import { describeVideoAdapter } from '@model-gateway/testing';
import { ark } from './adapter.ts';

describeVideoAdapter(ark, 'ark', {
  model: 'doubao-seedance-2-0-fast-260128',
  input: (prompt) => ({ shape: 'content', body: { content: [{ type: 'text', text: prompt }], duration: 5 } }),
});
