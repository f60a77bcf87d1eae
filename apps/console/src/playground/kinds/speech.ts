import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'speech',
  modelKind: 'speech',
  order: 3,
  label: { en: 'Speech', zh: '语音' },
  draft: 'speech.model',
  calls: {
    openai: {
      method: 'audio.speech.create',
      python: 'reply.write_to_file("speech.audio")',
      typescript: 'console.log((await reply.arrayBuffer()).byteLength);',
    },
    client: (given) => `const sound = await client.speech.create(${given});\nawait sound.save('speech.audio');`,
  },
  load: () => import('../speech.tsx'),
};
