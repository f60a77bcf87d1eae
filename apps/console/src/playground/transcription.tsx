/** What is said in a sound, as text. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { sendWell } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace } from '../ui/files.tsx';
import { formatDuration } from '../ui/format.ts';
import { Copy, Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { ofKind, type Model } from './models.ts';
import { ShowCode } from './show-code.tsx';
import { Workbench } from './workbench.tsx';

const PATH = '/v1/audio/transcriptions';

interface Written {
  readonly name: string;
  readonly text: string;
  readonly ms: number;
}

export default function Transcription({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'transcription');
  const [code, setCode] = useKept('transcription.model', able[0]?.id ?? '');
  const [file, setFile] = useState<File>();
  const [texts, setTexts] = useKept<readonly Written[]>('transcription.texts', []);
  const write = useMutation({
    mutationFn: async (): Promise<Written> => {
      const began = performance.now();
      const form = new FormData();
      form.set('model', code);
      if (file !== undefined) form.set('file', file, file.name);
      const { text } = (await (await sendWell(PATH, { method: 'POST', body: form })).json()) as { text: string };
      return { name: file?.name ?? '', text, ms: performance.now() - began };
    },
    onSuccess: (written) => setTexts((before) => [written, ...before]),
  });
  const choose = ([first]: File[]): void => setFile(first);
  return (
    <Workbench
      work={write}
      label={t('Transcription')}
      form={
        <>
          <ModelSelect models={able} code={code} onCode={setCode} />
          <DropPlace onFiles={choose}>
            <ChooseFiles
              label={t('Choose an audio file')}
              accept="audio/*,video/*"
              isMultiple={false}
              onFiles={choose}
            />
            <p className="quiet small">{file === undefined ? t('Or drop one here.') : file.name}</p>
          </DropPlace>
          <div className="row">
            <span className="grow" />
            <ShowCode
              request={{
                path: PATH,
                body: { model: code, file: `@${file?.name ?? 'speech.mp3'}` },
              }}
            />
            <Button type="submit" disabled={file === undefined} loading={write.isPending}>
              {t('Send')}
            </Button>
          </div>
        </>
      }
    >
      {texts.length === 0 && (
        <Empty title={t('No result yet')}>{t('Press {action} to see the result.', { action: t('Send') })}</Empty>
      )}
      {texts.map(({ name, text, ms }, at) => (
        <article key={texts.length - at} className="card stack">
          <div className="prose">{text}</div>
          <div className="row quiet small">
            <span className="grow">
              {name} · {formatDuration(ms)}
            </span>
            <Copy text={text} />
          </div>
        </article>
      ))}
    </Workbench>
  );
}
