import type { OperationFacts } from '@model-gateway/contracts';

/** What a request is for: an answer of some kind of model, or one of the steps around it. Scripted faults are aimed at one of these. */
export type Operation =
  | NonNullable<OperationFacts['kind']>
  | 'responses'
  | 'count'
  | 'models'
  | 'edit'
  | 'create'
  | 'poll'
  | 'list'
  | 'cancel'
  | 'file'
  | 'content'
  | 'subject'
  | 'token'
  | 'other';
