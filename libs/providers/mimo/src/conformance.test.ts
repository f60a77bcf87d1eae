import { describeSpeechAdapter } from '@model-gateway/testing';
import { mimo } from './adapter.ts';

describeSpeechAdapter(mimo, 'mimo', {
  model: 'mimo-v2.5-tts',
  input: { voice: 'Mia', instructions: 'Softly.' },
  moderation: {
    status: 400,
    body: { error: { message: 'No.', type: 'invalid_request_error', param: null, code: 'content_filter' } },
  },
});
