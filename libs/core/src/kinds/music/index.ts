/** Music models: a prompt in, sound of a length out. */
import type { KindModule } from '../../kind-module.ts';
import { musicOf } from './music-body.ts';

export { musicOf } from './music-body.ts';
export { createMusic, type Music, type MusicCall } from './music.ts';
export { musicTexts } from './texts.ts';

export const musicKind: KindModule = {
  name: 'music',
  called: 'a music model',
  capability: 'music',
  likelyNames: /\bmusic|\blyria\b|text[_-]to[_-]sound|sound[_-]effects/i,
  rows: { music: { pricedBy: ['second'] } },
  inputs: [],
  answersAtOnce: true,
  isGuarded: true,
  describe: () => ({ operations: ['createMusic'], formats: ['music'] }),
  quote: { createMusic: (body, row) => ({ usage: { seconds: musicOf(body, row).seconds } }) },
};
