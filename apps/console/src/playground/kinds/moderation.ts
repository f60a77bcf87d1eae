import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'moderation',
  modelKind: 'moderation',
  order: 8,
  label: { en: 'Moderation', zh: '内容审核' },
  draft: 'moderation.model',
  calls: {
    openai: {
      method: 'moderations.create',
      python: 'print(reply.results[0].flagged)',
      typescript: 'console.log(reply.results[0].flagged);',
    },
    client: (given) =>
      `const { results } = await client.moderations.create(${given});\nconsole.log(results[0].flagged);`,
  },
  load: () => import('../moderation.tsx'),
};
