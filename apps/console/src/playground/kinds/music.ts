import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'music',
  modelKind: 'music',
  order: 3.5,
  label: { en: 'Music', zh: '音乐' },
  draft: 'music.model',
  calls: {
    client: (given) => `const music = await client.music.create(${given});\nawait music.save('music.audio');`,
  },
  load: () => import('../music.tsx'),
};
