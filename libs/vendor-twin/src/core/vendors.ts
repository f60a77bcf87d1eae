/** Every vendor the twin answers as. */
export const TWIN_VENDORS = [
  'openai',
  'anthropic',
  'gemini',
  'ark',
  'dashscope',
  'veo',
  'vertex',
  'kie',
  'tencent-vod',
  'kling',
  'minimax',
  'mimo',
  'xai',
] as const;
export type TwinVendor = (typeof TWIN_VENDORS)[number];

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
