export { createTaskEngine } from './engine.ts';
export { createSignedLinks, type LinkKind, type SignedLinks, type SignedLinksOptions } from './links.ts';
export { signatureOf, unreachedReason } from './webhooks.ts';
export type * from './types.ts';
export type { VideoEndpoint } from '../kinds/video/video-body.ts';
