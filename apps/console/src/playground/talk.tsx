/** A spoken conversation: microphone, speaker, what both have said, and what it costs as it runs. */
import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { FaultError } from '../api/fault.ts';
import { signal, useSignal } from '../api/signal.ts';
import { t } from '../text/text.ts';
import { formatUsd } from '../ui/format.ts';
import { Empty, FaultBox } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { ofKind, type Model } from './models.ts';
import { ShowCode } from './show-code.tsx';
import { remember } from './history-list.tsx';
import { QUIET, TalkSession, type SpokenLine, type TalkState } from './talk-session.ts';
import { Simulated } from './workbench.tsx';

const state = signal<TalkState>(QUIET);

export default function Talk({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'realtime');
  const draft = useDraft(able, ofKind(models, 'transcription'));
  const { model, session } = draft;
  const { shown, isOff, running, start } = useTalk(draft);
  return (
    <div className="two">
      <form
        className="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isOff) start();
        }}
      >
        <fieldset className="stack plain" aria-label={t('Conversation')} disabled={!isOff}>
          <TalkFields able={able} draft={draft} />
        </fieldset>
        <div className="row">
          <span className="grow" />
          <ShowCode request={{ path: '/v1/realtime/client_secrets', body: { session } }} />
          {isOff ? (
            <Button key="start" type="submit" disabled={model === undefined}>
              {t('Start talking')}
            </Button>
          ) : (
            // An element of its own: one that became the other would be pressed by the same click.
            <Button key="end" color="red" onClick={() => running.current?.stop()}>
              {t('Hang up')}
            </Button>
          )}
        </div>
        {shown.fault !== undefined && <FaultBox error={new FaultError(shown.fault)} />}
      </form>
      <section className="stack" aria-label={t('Conversation')}>
        {isOff && shown.lines.length === 0 && (
          <Empty title={t('Nobody has spoken yet')}>
            {t('Your microphone is heard from when you start until you end it or leave this page.')}
          </Empty>
        )}
        {(!isOff || shown.lines.length > 0) && (
          <Conversation shown={shown} isSimulated={model?.simulated === true} talk={running.current} />
        )}
      </section>
    </div>
  );
}

type Draft = ReturnType<typeof useDraft>;

/** What stands in the fields, and the session that comes of it. */
function useDraft(able: readonly Model[], writers: readonly Model[]) {
  const [code, setCode] = useKept('talk.model', able[0]?.id ?? '');
  const model = able.find(({ id }) => id === code);
  const [writer, setWriter] = useKept('talk.transcriber', usualWriter(writers, model)?.id ?? '');
  const [voice, setVoice] = useKept('talk.voice', '');
  const [instructions, setInstructions] = useKept('talk.instructions', '');
  const transcriber = writers.find(({ id }) => id === writer);
  const session = {
    type: 'realtime',
    model: code,
    ...(instructions !== '' && { instructions }),
    audio: {
      ...(transcriber !== undefined && { input: { transcription: { model: transcriber.id } } }),
      ...(voice !== '' && { output: { voice } }),
    },
  };
  const values = { code, writer, voice, instructions };
  return { ...values, setCode, setWriter, setVoice, setInstructions, model, writers, transcriber, session };
}

/** The conversation: it ends with the page, and is remembered by what was said first. */
function useTalk({ code, model, session, transcriber }: Draft) {
  const shown = useSignal(state);
  const running = useRef<TalkSession>(undefined);
  // Who leaves the page does not want to be heard any more.
  useEffect(() => () => running.current?.stop(), []);
  const start = (): void => {
    if (model === undefined) return;
    running.current = new TalkSession({ model, session, state, transcriber });
    void running.current.start();
  };
  const isOff = shown.phase === 'off';
  const saidFirst = shown.lines.find(({ text }) => text !== '')?.text;
  const wasOn = useRef(false);
  useEffect(() => {
    if (wasOn.current && isOff && saidFirst !== undefined) remember('talk', { model: code, title: saidFirst });
    wasOn.current = !isOff;
  }, [isOff]);
  return { shown, isOff, running, start };
}

function TalkFields({ able, draft }: { able: readonly Model[]; draft: Draft }) {
  return (
    <>
      <ModelSelect models={able} code={draft.code} onCode={draft.setCode} />
      <Select
        label={t('Write down what you say')}
        description={t('Paid apart, by the price of this model.')}
        placeholder={t('Not written down')}
        clearable
        clearButtonProps={{ 'aria-label': t('Clear') }}
        data={draft.writers.map(({ id }) => id)}
        value={draft.writer === '' ? null : draft.writer}
        onChange={(chosen) => draft.setWriter(chosen ?? '')}
      />
      <details>
        <summary>{t('Parameters')}</summary>
        <div className="stack">
          <TextInput
            label={t('Voice')}
            placeholder={t('Model default')}
            value={draft.voice}
            onChange={({ currentTarget }) => draft.setVoice(currentTarget.value)}
          />
          <Textarea
            label={t('Instructions for the model')}
            autosize
            value={draft.instructions}
            onChange={({ currentTarget }) => draft.setInstructions(currentTarget.value)}
          />
        </div>
      </details>
    </>
  );
}

interface ConversationProps {
  readonly shown: TalkState;
  readonly isSimulated: boolean;
  readonly talk: TalkSession | undefined;
}

function Conversation({ shown, isSimulated, talk }: ConversationProps) {
  const { phase, lines, isSpeaking, isMuted, usd, responses, notice } = shown;
  const [text, setText] = useState('');
  return (
    <div className="card stack">
      <div className="row">
        <span className="grow talk-phase" role="status">
          {phaseText(shown)}
        </span>
        {isSimulated && <Simulated />}
      </div>
      <div className="turns" role="log" aria-label={t('What was said')} tabIndex={0}>
        {lines.map((line) => (
          <LineView key={line.id} line={line} />
        ))}
      </div>
      {phase === 'on' && (
        <>
          <div className="row">
            <Button variant="default" aria-pressed={isMuted} onClick={() => talk?.mute(!isMuted)}>
              {isMuted ? t('Unmute the microphone') : t('Mute the microphone')}
            </Button>
            <Button variant="default" disabled={!isSpeaking} onClick={() => talk?.interrupt()}>
              {t('Interrupt')}
            </Button>
          </div>
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              talk?.write(text);
              setText('');
            }}
          >
            <TextInput
              className="grow"
              aria-label={t('Say it in writing')}
              placeholder={t('Say it in writing')}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <Button type="submit" variant="default" disabled={text.trim() === ''}>
              {t('Send')}
            </Button>
          </form>
        </>
      )}
      <p className="row quiet small">
        <span className="grow">{notice}</span>
        <span>{t('Answers: {count}', { count: responses })}</span>
        {usd !== undefined && <span>≈ {formatUsd(usd)}</span>}
      </p>
    </div>
  );
}

function LineView({ line: { who, text, isCut } }: { line: SpokenLine }) {
  return (
    <div className={`turn ${who === 'you' ? 'user' : 'assistant'}`}>
      <div className={who === 'you' ? 'said' : undefined}>
        {text === '' ? <span className="quiet">{t('(spoken)')}</span> : text}
        {isCut === true && <span className="quiet small"> {t('(interrupted)')}</span>}
      </div>
    </div>
  );
}

function phaseText({ phase, isHeard, isSpeaking, isMuted }: TalkState): string {
  if (phase === 'off') return t('The conversation is over.');
  if (phase === 'connecting') return t('Connecting …');
  if (isHeard) return t('You are heard.');
  if (isSpeaking) return t('The model speaks. You may interrupt it.');
  return isMuted ? t('The microphone is muted.') : t('Listening. Say something.');
}

/** What most likely is had where the model is. */
function usualWriter(writers: readonly Model[], model: Model | undefined): Model | undefined {
  return (
    writers.find(({ id }) => id === 'gpt-4o-mini-transcribe') ??
    writers.find(({ owned_by: by }) => by === model?.owned_by)
  );
}
