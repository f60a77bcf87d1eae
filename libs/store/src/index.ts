export { openStore, type OpenOptions } from './store.ts';
