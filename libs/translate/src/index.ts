export type * from './conversation.ts';
export type * from './dialect.ts';
