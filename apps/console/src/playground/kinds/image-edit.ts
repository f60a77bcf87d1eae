import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'edit',
  modelKind: 'image-edit',
  order: 2,
  label: { en: 'Edits', zh: '编辑' },
  draft: 'edit.model',
  calls: {
    openai: {
      method: 'images.edit',
      python: 'print(reply.data[0].url or reply.data[0].b64_json[:40])',
      typescript: 'console.log(reply.data?.[0]?.url);',
    },
    client: (given) => `const reply = await client.images.edit(${given});\nconsole.log(reply.data.length);`,
    isForm: true,
  },
  load: () => import('../edits.tsx'),
};
