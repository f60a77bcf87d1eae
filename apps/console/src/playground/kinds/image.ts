import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'image',
  modelKind: 'image',
  order: 1,
  label: { en: 'Images', zh: '图片' },
  draft: 'image.model',
  calls: {
    openai: {
      method: 'images.generate',
      python: 'print(reply.data[0].url or reply.data[0].b64_json[:40])',
      typescript: 'console.log(reply.data?.[0]?.url);',
    },
    client: (given) => `const reply = await client.images.generate(${given});\nconsole.log(reply);`,
  },
  load: () => import('../pictures.tsx'),
};
