import { reuseLinks } from '../isolation/links.mjs';

export const law = 5;
export const name = 'links to what was deleted, forged addresses';
export const before = 'a deleted video still opened';
export const threshold = '0 links open after deletion; 0 forged addresses are believed';
export const run = reuseLinks;
