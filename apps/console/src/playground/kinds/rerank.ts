import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'rerank',
  modelKind: 'rerank',
  order: 7,
  label: { en: 'Rerank', zh: '重排序' },
  draft: 'rerank.model',
  calls: {
    client: (given) => `const { results } = await client.rerank.create(${given});\nconsole.log(results);`,
  },
  load: () => import('../rerank.tsx'),
};
