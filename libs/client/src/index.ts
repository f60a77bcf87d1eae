export { createClient, type Client, type ClientOptions } from './client.ts';
export type { Call } from './call.ts';
export * from './errors.ts';
