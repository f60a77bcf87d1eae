/** What a request is for; scripted faults are aimed at one of these. */
export type Operation =
  | 'chat'
  | 'responses'
  | 'count'
  | 'models'
  | 'image'
  | 'edit'
  | 'speech'
  | 'create'
  | 'poll'
  | 'list'
  | 'cancel'
  | 'file'
  | 'content'
  | 'subject'
  | 'token'
  | 'other';
