export type * from './ports.ts';
export type * from './parts.ts';
export * from './catalogue.ts';
export * from './routing.ts';
