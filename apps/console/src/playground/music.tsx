/** Music and sound effects. */
import { NumberInput, Textarea } from '@mantine/core';
import { postJson } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { formatDuration } from '../ui/format.ts';
import { Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { newRunId } from './history.ts';
import { remember } from './history-list.tsx';
import { ofKind, type Model } from './models.ts';
import { ActionBar, useWork, Workbench } from './workbench.tsx';

const PATH = '/v1/music/generations';

interface Piece {
  readonly id: string;
  readonly url: string;
  readonly text: string;
  readonly about: string;
}

export default function Music({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'music');
  const [code, setCode] = useKept('music.model', able[0]?.id ?? '');
  const model = able.find(({ id }) => id === code);
  const [prompt, setPrompt] = useKept('music.prompt', '');
  const [seconds, setSeconds] = useKept<number | ''>('music.seconds', '');
  const [pieces, setPieces] = useKept<readonly Piece[]>('music.pieces', []);
  const body = { model: code, prompt, ...(seconds !== '' && { seconds }) };
  const work = useWork(
    async (signal): Promise<Piece> => {
      const began = performance.now();
      const sound = await (await postJson(PATH, body, signal)).blob();
      const about = `${code} · ${formatDuration(performance.now() - began)}`;
      return { id: newRunId(), url: URL.createObjectURL(sound), text: prompt, about };
    },
    (piece) => {
      setPieces((before) => [piece, ...before]);
      remember('music', { model: code, title: prompt });
    },
  );
  const [newest, ...earlier] = pieces;
  return (
    <Workbench
      work={work}
      label={t('Music')}
      isSimulated={model?.simulated === true}
      form={
        <>
          <ModelSelect models={able} code={code} onCode={setCode} />
          <Textarea
            label={t('Prompt')}
            autosize
            minRows={3}
            value={prompt}
            onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
          />
          <NumberInput
            label={t('Seconds')}
            placeholder={t('Model default')}
            min={0}
            hideControls
            value={seconds}
            onChange={(value) => setSeconds(typeof value === 'number' ? value : '')}
          />
        </>
      }
      actions={
        <ActionBar
          work={work}
          name={t('Make music')}
          isReady={prompt.trim() !== ''}
          request={{ path: PATH, body }}
          hasEstimate
        />
      }
      empty={<Empty title={t('No music yet')}>{t('Describe a song or a sound, and hear it.')}</Empty>}
      result={newest && <PieceCard piece={newest} />}
      earlier={
        earlier.length > 0 && (
          <div className="stack">
            {earlier.map((piece) => (
              <PieceCard key={piece.id} piece={piece} />
            ))}
          </div>
        )
      }
    />
  );
}

function PieceCard({ piece: { url, text, about } }: { readonly piece: Piece }) {
  return (
    <div className="card stack">
      <audio controls src={url} aria-label={text} />
      <div>{text}</div>
      <div className="row quiet small">
        <span className="grow">{about}</span>
        <a href={url} download="music">
          {t('Download')}
        </a>
      </div>
    </div>
  );
}
