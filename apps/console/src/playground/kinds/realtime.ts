import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'talk',
  modelKind: 'realtime',
  order: 4.5,
  label: { en: 'Talk', zh: '对话' },
  draft: 'talk.model',
  calls: {
    client: (given) =>
      `const { value } = await client.realtime.createClientSecret(${given});\nconsole.log(value); // opens /v1/realtime from a browser`,
  },
  load: () => import('../talk.tsx'),
};
