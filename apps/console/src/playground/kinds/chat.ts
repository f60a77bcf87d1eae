import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'chat',
  modelKind: 'chat',
  order: 0,
  label: { en: 'Chat', zh: '对话' },
  draft: 'chat.models',
  hasManyModels: true,
  calls: {
    openai: {
      method: 'chat.completions.create',
      python: 'print(reply.choices[0].message.content)',
      typescript: 'console.log(reply.choices[0].message.content);',
      streamed: "for await (const chunk of reply) process.stdout.write(chunk.choices[0]?.delta.content ?? '');",
    },
    client: (given) =>
      `const reply = await client.chat.create(${given});\nconsole.log(reply.choices[0].message.content);`,
    isChat: true,
  },
  load: () => import('../chat.tsx'),
};
