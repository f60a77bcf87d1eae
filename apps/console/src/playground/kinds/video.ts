import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'video',
  modelKind: 'video',
  order: 4,
  label: { en: 'Video', zh: '视频' },
  draft: 'video.model',
  calls: {
    openai: {
      method: 'videos.create',
      python: 'print(reply.id, reply.status)',
      typescript: 'console.log(reply.id, reply.status);',
      names: new Set(['model', 'prompt', 'seconds', 'size']),
    },
    client: (given) => `const task = await client.videos.create(${given}).wait();\nconsole.log(task.result_url);`,
  },
  load: () => import('../films.tsx'),
};
