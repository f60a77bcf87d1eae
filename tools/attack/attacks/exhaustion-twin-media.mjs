import { attackTwinMedia } from '../exhaustion/twin-media.mjs';

export const law = 4;
export const name = 'the twin’s media, without a key';
export const before = 'twelve `HEAD` requests wrote 173 MB; `/twin/media/../openai/…` reached vendors’ routes';
export const threshold = '0 bytes written, 0 answers but 404 to what was not given out';
/** Replicas have a twin between them that is none of theirs. */
export const isOfOneProcess = true;
export const run = attackTwinMedia;
