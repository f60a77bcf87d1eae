/** What is said in a sound, as text. */
import { useState } from 'react';
import { sendWell } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace } from '../ui/files.tsx';
import { formatDuration } from '../ui/format.ts';
import { Copy, Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { remember } from './history-list.tsx';
import { ofKind, type Model } from './models.ts';
import { ActionBar, useWork, Workbench } from './workbench.tsx';

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
  const work = useWork(
    async (signal): Promise<Written> => {
      const began = performance.now();
      const form = new FormData();
      form.set('model', code);
      if (file !== undefined) form.set('file', file, file.name);
      const { text } = (await (await sendWell(PATH, { method: 'POST', body: form, signal })).json()) as {
        text: string;
      };
      return { name: file?.name ?? '', text, ms: performance.now() - began };
    },
    (written) => {
      setTexts((before) => [written, ...before]);
      remember('transcription', { model: code, title: written.name });
    },
  );
  const [newest, ...earlier] = texts;
  const choose = ([first]: File[]): void => setFile(first);
  return (
    <Workbench
      work={work}
      label={t('Transcription')}
      isSimulated={able.find(({ id }) => id === code)?.simulated === true}
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
        </>
      }
      actions={
        <ActionBar
          work={work}
          name={t('Send')}
          isReady={file !== undefined}
          request={{ path: PATH, body: { model: code, file: `@${file?.name ?? 'speech.mp3'}` } }}
        />
      }
      empty={<Empty title={t('No result yet')}>{t('Press {action} to see the result.', { action: t('Send') })}</Empty>}
      result={newest && <WrittenCard written={newest} />}
      earlier={
        earlier.length > 0 && (
          <div className="stack">
            {earlier.map((written, at) => (
              <WrittenCard key={earlier.length - at} written={written} />
            ))}
          </div>
        )
      }
    />
  );
}

function WrittenCard({ written: { name, text, ms } }: { written: Written }) {
  return (
    <article className="card stack">
      <div className="prose">{text}</div>
      <div className="row quiet small">
        <span className="grow">
          {name} · {formatDuration(ms)}
        </span>
        <Copy text={text} />
      </div>
    </article>
  );
}
