import type { PlaygroundKind } from '../playground-kind.ts';

export const kind: PlaygroundKind = {
  name: 'transcription',
  modelKind: 'transcription',
  order: 5,
  label: { en: 'Transcription', zh: '转写' },
  draft: 'transcription.model',
  calls: {
    openai: {
      method: 'audio.transcriptions.create',
      python: 'print(reply.text)',
      typescript: 'console.log(reply.text);',
    },
    client: (given) => `const { text } = await client.transcriptions.create(${given});\nconsole.log(text);`,
    isForm: true,
  },
  load: () => import('../transcription.tsx'),
};
