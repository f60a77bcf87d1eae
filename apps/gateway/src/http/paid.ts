/** Which operations count against a key's limits, and which can be repeated under an Idempotency-Key. */
import type { OperationId } from './operation.ts';

/** Whatever a key asks somebody to do. Reading what is there is not limited. */
export const LIMITED: readonly OperationId[] = [
  'createChatCompletion',
  'createResponse',
  'createMessage',
  'countMessageTokens',
  'generateContent',
  'generateContentV1',
  'streamGenerateContent',
  'streamGenerateContentV1',
  'countContentTokens',
  'countContentTokensV1',
  'createImage',
  'editImage',
  'createSpeech',
  'createVideoTask',
  'createVideo',
  'createSubject',
  'createEstimate',
];

/** Answered again from what was kept. Tasks are not here: their keys are bound to the task row. */
export const REPLAYED: readonly OperationId[] = [
  'createChatCompletion',
  'createResponse',
  'createMessage',
  'generateContent',
  'generateContentV1',
  'streamGenerateContent',
  'streamGenerateContentV1',
  'createImage',
  'editImage',
  'createSpeech',
  'createOwner',
  'adjustOwner',
];
