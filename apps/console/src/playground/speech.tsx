/** Spoken text, heard while it comes where the browser can. */
import { NumberInput, Select, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { postJson } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { formatDuration } from '../ui/format.ts';
import { Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { newRunId } from './history.ts';
import { remember } from './history-list.tsx';
import { ofKind, type Model } from './models.ts';
import { streamSound } from './play-stream.ts';
import { ActionBar, useWork, Workbench } from './workbench.tsx';

const PATH = '/v1/audio/speech';
/** What a browser plays. */
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav'];
const formatsOf = (model: Model | undefined): string[] => {
  const listed: unknown = model?.limits?.['formats'];
  return FORMATS.filter((format) => !Array.isArray(listed) || listed.includes(format));
};

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
  const draft = useDraft(able);
  const { work, sounds, live, endLive } = useSounds(draft.body);
  const [newest, ...earlier] = sounds;
  const sounding = (sound: Sound, isNewest: boolean): ReactNode => (
    <SoundCard
      key={sound.id}
      sound={live?.id === sound.id ? { ...sound, url: live.url } : sound}
      isLive={live?.id === sound.id}
      isNewest={isNewest}
      onEnded={endLive}
    />
  );
  return (
    <Workbench
      work={work}
      label={t('Speech')}
      isSimulated={draft.model?.simulated === true}
      hasProgress={live !== undefined}
      form={<SpeechFields able={able} draft={draft} />}
      actions={
        <ActionBar
          work={work}
          name={t('Speak')}
          isReady={draft.text.trim() !== ''}
          request={{ path: PATH, body: draft.body }}
          hasEstimate
        />
      }
      empty={<Empty title={t('No speech yet')}>{t('Write some text and hear it spoken.')}</Empty>}
      result={newest && sounding(newest, true)}
      earlier={earlier.length > 0 && <div className="stack">{earlier.map((sound) => sounding(sound, false))}</div>}
    />
  );
}

type Draft = ReturnType<typeof useDraft>;

/** What stands in the fields, and the body that comes of it: a voice or format that the model lacks is not sent. */
function useDraft(able: readonly Model[]) {
  const [code, setCode] = useKept('speech.model', able[0]?.id ?? '');
  const model = able.find(({ id }) => id === code);
  const voices = model?.voices ?? [];
  const formats = formatsOf(model);
  const [chosenVoice, setVoice] = useKept('speech.voice', '');
  const voice = voices.includes(chosenVoice) ? chosenVoice : (voices[0] ?? chosenVoice);
  const [text, setText] = useKept('speech.text', '');
  const [instructions, setInstructions] = useKept('speech.instructions', '');
  const [speed, setSpeed] = useKept<number | ''>('speech.speed', '');
  const [format, setFormat] = useKept('speech.format', '');
  const body = {
    model: code,
    input: text,
    voice,
    ...(instructions !== '' && { instructions }),
    ...(speed !== '' && { speed }),
    ...(formats.includes(format) && { response_format: format }),
  };
  const values = { code, voice, text, instructions, speed, format };
  return { ...values, setCode, setVoice, setText, setInstructions, setSpeed, setFormat, model, voices, formats, body };
}

/** What was spoken, the newest first; while one comes it is the first of them, if the browser plays it so. */
function useSounds(body: Draft['body']) {
  const { model: code, voice, input: text } = body;
  const [made, setMade] = useKept<readonly Sound[]>('speech.sounds', []);
  const [live, setLive] = useState<Sound>();
  const work = useWork(
    async (signal): Promise<Sound> => {
      setLive(undefined);
      const began = performance.now();
      const response = await postJson(PATH, body, signal);
      const id = newRunId();
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
    (sound) => {
      setMade((before) => [sound, ...before]);
      remember('speech', { model: code, title: text });
    },
  );
  const sounds = live === undefined || !work.isRunning ? made : [live, ...made];
  return { work, sounds, live, endLive: () => setLive(undefined) };
}

interface FieldsProps {
  readonly able: readonly Model[];
  readonly draft: Draft;
}

function SpeechFields({ able, draft }: FieldsProps) {
  return (
    <>
      <ModelSelect models={able} code={draft.code} onCode={draft.setCode} />
      <Select
        label={t('Voice')}
        searchable
        allowDeselect={false}
        data={[...draft.voices]}
        value={draft.voice}
        onChange={(chosen) => draft.setVoice(chosen ?? '')}
      />
      <Textarea
        label={t('Text to speak')}
        autosize
        minRows={3}
        value={draft.text}
        onChange={({ currentTarget }) => draft.setText(currentTarget.value)}
      />
      <details>
        <summary>{t('Parameters')}</summary>
        <div className="stack">
          <Textarea
            label={t('Style instructions')}
            autosize
            value={draft.instructions}
            onChange={({ currentTarget }) => draft.setInstructions(currentTarget.value)}
          />
          <NumberInput
            label={t('Speed')}
            min={0.25}
            max={4}
            step={0.25}
            hideControls
            value={draft.speed}
            onChange={(value) => draft.setSpeed(typeof value === 'number' ? value : '')}
          />
          <Select
            label={t('Format')}
            placeholder={t('Model default')}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            data={draft.formats}
            value={draft.formats.includes(draft.format) ? draft.format : null}
            onChange={(chosen) => draft.setFormat(chosen ?? '')}
          />
        </div>
      </details>
    </>
  );
}

interface SoundCardProps {
  readonly sound: Sound;
  /** It is heard while it comes. */
  readonly isLive: boolean;
  readonly isNewest: boolean;
  readonly onEnded: () => void;
}

function SoundCard({ sound: { url, text, about, wasLive }, isLive, isNewest, onEnded }: SoundCardProps) {
  return (
    <div className="card stack">
      <audio controls autoPlay={isNewest && (!wasLive || isLive)} src={url} aria-label={text} onEnded={onEnded} />
      <div>{text}</div>
      <div className="row quiet small">
        <span className="grow">{about}</span>
        {!isLive && (
          <a href={url} download="speech">
            {t('Download')}
          </a>
        )}
      </div>
    </div>
  );
}
