export { createReplays, type Replays, type StoredAnswer, type Turn } from './replays.ts';
