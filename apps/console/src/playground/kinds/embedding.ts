import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'embedding',
  modelKind: 'embedding',
  order: 6,
  label: { en: 'Embeddings', zh: '向量' },
  draft: 'embedding.model',
  calls: {
    openai: {
      method: 'embeddings.create',
      python: 'print(len(reply.data[0].embedding))',
      typescript: 'console.log(reply.data[0].embedding.length);',
    },
    client: (given) =>
      `const { data } = await client.embeddings.create(${given});\nconsole.log(data[0].embedding.length);`,
  },
  load: () => import('../embedding.tsx'),
};
