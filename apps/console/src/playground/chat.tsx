/** One question to one to four models, their answers side by side. */
import { Button, Textarea } from '@mantine/core';
import { useRef, useState, type KeyboardEvent } from 'react';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace, GivenFiles, readAsUrl, type GivenFile } from '../ui/files.tsx';
import { ChatColumn } from './chat-column.tsx';
import { chatBody, ChatParameters, NO_SETTINGS, settingsFault, type ChatSettings } from './chat-settings.tsx';
import type { Turn } from './chat-turns.ts';
import { keptUnder, useKept } from './drafts.ts';
import { newRunId } from './history.ts';
import { remember } from './history-list.tsx';
import { ofKind, type Model } from './models.ts';
import { runChat } from './run-chat.ts';
import { ShowCode } from './show-code.tsx';

const MOST_MODELS = 4;

type Threads = Readonly<Record<number, readonly Turn[]>>;

export default function Chat({ models }: { models: readonly Model[] }) {
  const chats = ofKind(models, 'chat');
  const [codes, setCodes] = useKept<readonly string[]>('chat.models', [chats[0]?.id ?? '']);
  const [threads, setThreads] = useKept<Threads>('chat.threads', {});
  const [run, setRun] = useKept<string>('chat.run', newRunId());
  const [settings, setSettings] = useKept<ChatSettings>('chat.settings', NO_SETTINGS);
  const [running, setRunning] = useState<ReadonlySet<number>>(new Set());
  const stops = useRef(new Map<number, AbortController>());
  const modelOf = (code: string): { readonly id: string } & Partial<Model> =>
    chats.find(({ id }) => id === code) ?? { id: code };
  const asked = codes.map((code) => chats.find(({ id }) => id === code)).filter((model) => model !== undefined);

  const ask = (at: number, turns: readonly Turn[]): void => {
    const code = codes[at] ?? '';
    const stop = new AbortController();
    stops.current.set(at, stop);
    setRunning((before) => new Set([...before, at]));
    setRun(run);
    void runChat(
      chatBody(modelOf(code), turns, settings),
      chats.find(({ id }) => id === code),
      stop.signal,
      (answer) => {
        // Not into another chat, which has begun or was opened again meanwhile.
        if (keptUnder('chat.run') === run) setThreads((before) => ({ ...before, [at]: [...turns, answer] }));
      },
    ).finally(() => {
      setRunning((before) => new Set([...before].filter((each) => each !== at)));
      rememberChat(codes, run);
    });
  };
  const remove = (at: number): void => {
    setCodes((before) => before.filter((_, index) => index !== at));
    setThreads((before) => withoutColumn(before, at));
  };

  return (
    <div className="play">
      <div className="play-main">
        <div className="columns">
          {codes.map((code, at) => (
            <ChatColumn
              key={at}
              models={chats}
              code={code}
              turns={threads[at] ?? []}
              isRunning={running.has(at)}
              onCode={(chosen) => setCodes((before) => before.map((each, index) => (index === at ? chosen : each)))}
              onStop={() => stops.current.get(at)?.abort()}
              onAsk={(turns) => ask(at, turns)}
              {...(codes.length > 1 && { onRemove: () => remove(at) })}
            />
          ))}
        </div>
        <Composer
          isRunning={running.size > 0}
          hasFault={settingsFault(settings) !== undefined}
          models={asked}
          bodyOf={(question) => chatBody(modelOf(codes[0] ?? ''), [...(threads[0] ?? []), question], settings)}
          onSend={(question) => codes.forEach((_, at) => ask(at, [...(threads[at] ?? []), question]))}
          onStop={() => stops.current.forEach((stop) => stop.abort())}
          onNew={() => {
            setThreads({});
            setRun(newRunId());
          }}
          {...(codes.length < MOST_MODELS && {
            onCompare: () =>
              setCodes((before) => [...before, chats.find(({ id }) => !before.includes(id))?.id ?? before[0] ?? '']),
          })}
        />
      </div>
      <ChatParameters
        models={asked}
        settings={settings}
        set={(changed) => setSettings((before) => ({ ...before, ...changed }))}
      />
    </div>
  );
}

/** One conversation is one run, whatever the number of its questions. */
function rememberChat(codes: readonly string[], run: string): void {
  const turns = Object.values(keptUnder<Threads>('chat.threads') ?? {}).flat();
  const first = turns.find((turn) => turn.role === 'user');
  // Another chat has begun meanwhile.
  if (first === undefined || keptUnder('chat.run') !== run) return;
  remember('chat', { model: codes.join(', '), title: first.text }, run);
}

/** The columns to the right of one that goes move up. */
function withoutColumn(threads: Threads, at: number): Threads {
  return Object.fromEntries(
    Object.entries(threads)
      .filter(([index]) => Number(index) !== at)
      .map(([index, turns]) => [Number(index) > at ? Number(index) - 1 : Number(index), turns]),
  );
}

interface ComposerProps {
  readonly isRunning: boolean;
  /** Something in the parameters is wrong. */
  readonly hasFault: boolean;
  readonly models: readonly Model[];
  readonly bodyOf: (question: Turn) => Record<string, unknown>;
  readonly onSend: (question: Turn) => void;
  readonly onStop: () => void;
  readonly onNew: () => void;
  readonly onCompare?: () => void;
}

/** Where the next question is written; it stays at the foot of the page. */
function Composer({ isRunning, hasFault, models, bodyOf, onSend, onStop, onNew, onCompare }: ComposerProps) {
  const [text, setText] = useKept('chat.text', '');
  const [files, setFiles] = useKept<readonly GivenFile[]>('chat.files', []);
  const isReady = text.trim() !== '' && !isRunning && !hasFault;
  const send = (): void => {
    if (!isReady) return;
    setText('');
    setFiles([]);
    onSend({ role: 'user', text, files });
  };
  const add = (given: File[]): void => {
    void Promise.all(given.map(readAsUrl)).then((read) => setFiles((before) => [...before, ...read]));
  };
  const accept = filesTaken(models);
  return (
    <DropPlace onFiles={accept === '' ? () => undefined : add}>
      <Textarea
        aria-label={t('Your message')}
        placeholder={accept === '' ? t('Ask something.') : t('Ask something. Files and pictures can be dropped here.')}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSending(event)) return;
          event.preventDefault();
          send();
        }}
      />
      <GivenFiles files={files} onRemove={(at) => setFiles((before) => before.filter((_, index) => index !== at))} />
      <p className="quiet small hint">
        {ENTER_SENDS ? t('Enter sends, Shift+Enter starts a new line.') : t('Enter starts a new line.')}
      </p>
      <div className="row play-actions">
        <div className="play-tools">
          {accept !== '' && <ChooseFiles label={t('Add files')} accept={accept} onFiles={add} />}
          <Button
            size="xs"
            variant="default"
            aria-label={t('Compare with another model')}
            disabled={onCompare === undefined}
            onClick={onCompare}
          >
            {t('Compare')}
          </Button>
          <ShowCode size="xs" request={{ path: '/v1/chat/completions', body: bodyOf({ role: 'user', text, files }) }} />
          <Button size="xs" variant="default" disabled={isRunning} onClick={onNew}>
            {t('New chat')}
          </Button>
        </div>
        {isRunning && (
          <Button variant="default" onClick={onStop}>
            {t('Stop all')}
          </Button>
        )}
        <Button onClick={send} disabled={!isReady}>
          {t('Send')}
        </Button>
      </div>
    </DropPlace>
  );
}

/** On a keyboard of glass there is no Shift to hold: there Enter is a new line, and the button sends. */
const ENTER_SENDS = !window.matchMedia('(pointer: coarse)').matches;

function isSending({ key, shiftKey, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): boolean {
  // While an input method is open, Enter chooses what it proposes.
  if (key !== 'Enter' || nativeEvent.isComposing) return false;
  return ctrlKey || metaKey || (ENTER_SENDS && !shiftKey);
}

const FILES: Readonly<Record<string, string>> = {
  image: 'image/*',
  document: '.pdf,.txt,.md,.csv,.json,.docx,.xlsx,.pptx',
  audio: 'audio/*',
  video: 'video/*',
};

/** What the file dialog offers: all that one of the models takes; nothing where none takes more than text. */
function filesTaken(models: readonly Model[]): string {
  const inputs = models.map(({ limits }) => limits?.['inputs']);
  // Who does not say is asked.
  if (inputs.length === 0 || inputs.some((each) => !Array.isArray(each))) return '*/*';
  return [...new Set(inputs.flat().map((input) => FILES[String(input)]))]
    .filter((each) => each !== undefined)
    .join(',');
}
