import { forgeTokens } from '../access/tokens.mjs';

export const law = 4;
export const name = 'forged tokens of an identity provider';
export const before = 'without a pause between reads, 300 made-up keys made the issuer be asked 21 times';
export const threshold =
  '0 of 11 forged tokens taken; made-up keys make the issuer be asked at most every 10 s; no address of a token asked';
export const run = forgeTokens;
