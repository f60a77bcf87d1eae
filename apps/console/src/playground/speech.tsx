/** Spoken text, heard while it comes where the browser can. */
import { Button, NumberInput, Select, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { postJson } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { formatDuration } from '../ui/format.ts';
import { Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { EstimateLine, Workbench } from './workbench.tsx';
import { ofKind, type Model } from './models.ts';
import { streamSound } from './play-stream.ts';
import { ShowCode } from './show-code.tsx';

const PATH = '/v1/audio/speech';

interface Sound {
  readonly id: string;
  readonly url: string;
  readonly text: string;
  readonly about: string;
  /** It was already heard while it came. */
  readonly wasLive: boolean;
}

export default function Speech({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'speech');
  const [code, setCode] = useKept('speech.model', able[0]?.id ?? '');
  const voices = able.find(({ id }) => id === code)?.voices ?? [];
  const [chosenVoice, setVoice] = useKept('speech.voice', '');
  const voice = voices.includes(chosenVoice) ? chosenVoice : (voices[0] ?? chosenVoice);
  const [text, setText] = useKept('speech.text', '');
  const [instructions, setInstructions] = useKept('speech.instructions', '');
  const [speed, setSpeed] = useKept<number | ''>('speech.speed', '');
  const [format, setFormat] = useKept('speech.format', '');
  const [sounds, setSounds] = useKept<readonly Sound[]>('speech.sounds', []);
  const body = {
    model: code,
    input: text,
    voice,
    ...(instructions !== '' && { instructions }),
    ...(speed !== '' && { speed }),
    ...(format !== '' && { response_format: format }),
  };
  const [live, setLive] = useState<Sound>();
  const speak = useMutation({
    mutationFn: async () => {
      const began = performance.now();
      const response = await postJson(PATH, body);
      const id = crypto.randomUUID();
      const { whole, live: playable } = streamSound(response);
      const begins = formatDuration(performance.now() - began);
      const waited = playable === undefined ? undefined : t('Heard while it comes, after {time}', { time: begins });
      setLive(playable === undefined ? undefined : { id, url: playable, text, about: waited ?? '', wasLive: true });
      const sound = await whole;
      const about = [code, voice, formatDuration(performance.now() - began), waited];
      return {
        id,
        url: URL.createObjectURL(sound),
        text,
        about: about.filter((part) => part !== undefined && part !== '').join(' · '),
        wasLive: playable !== undefined,
      };
    },
    onSuccess: (sound) => setSounds((before) => [sound, ...before]),
    onError: () => setLive(undefined),
  });
  // The one that is heard keeps its place when the whole of it has come.
  const shown = live === undefined || sounds.some(({ id }) => id === live.id) ? sounds : [live, ...sounds];
  return (
    <Workbench
      work={speak}
      label={t('Speech')}
      form={
        <>
          <ModelSelect models={able} code={code} onCode={setCode} />
          <Select
            label={t('Voice')}
            searchable
            allowDeselect={false}
            data={[...voices]}
            value={voice}
            onChange={(chosen) => setVoice(chosen ?? '')}
          />
          <Textarea
            label={t('Text to speak')}
            autosize
            minRows={3}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <details>
            <summary>{t('Parameters')}</summary>
            <div className="stack">
              <Textarea
                label={t('Style instructions')}
                autosize
                value={instructions}
                onChange={({ currentTarget }) => setInstructions(currentTarget.value)}
              />
              <NumberInput
                label={t('Speed')}
                min={0.25}
                max={4}
                step={0.25}
                hideControls
                value={speed}
                onChange={(value) => setSpeed(typeof value === 'number' ? value : '')}
              />
              <Select
                label={t('Format')}
                placeholder={t('Model default')}
                clearable
                clearButtonProps={{ 'aria-label': t('Clear') }}
                data={['mp3', 'opus', 'aac', 'flac', 'wav']}
                value={format === '' ? null : format}
                onChange={(chosen) => setFormat(chosen ?? '')}
              />
            </div>
          </details>
          <div className="row">
            <EstimateLine path={PATH} body={body} isReady={text.trim() !== ''} />
            <span className="grow" />
            <ShowCode request={{ path: PATH, body }} />
            <Button type="submit" disabled={text.trim() === '' || speak.isPending} loading={speak.isPending}>
              {t('Speak')}
            </Button>
          </div>
        </>
      }
    >
      {shown.length === 0 && <Empty title={t('No speech yet')}>{t('Write some text and hear it spoken.')}</Empty>}
      {shown.map(({ id, url, text: said, about, wasLive }, at) => (
        <div key={id} className="card stack">
          <audio
            controls
            autoPlay={at === 0 && (!wasLive || live?.id === id)}
            src={live?.id === id ? live.url : url}
            aria-label={said}
            onEnded={() => setLive(undefined)}
          />
          <div>{said}</div>
          <div className="row quiet small">
            <span className="grow">{about}</span>
            {live?.id !== id && (
              <a href={url} download="speech">
                {t('Download')}
              </a>
            )}
          </div>
        </div>
      ))}
    </Workbench>
  );
}
