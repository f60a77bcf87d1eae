/** One question to one to four models, their answers side by side. */
import { Button, NumberInput, Select, Switch, Textarea } from '@mantine/core';
import { useRef, useState } from 'react';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace, GivenFiles, readAsUrl, type GivenFile } from '../ui/files.tsx';
import { ChatColumn } from './chat-column.tsx';
import { toMessages, type Turn } from './chat-turns.ts';
import { useKept } from './drafts.ts';
import { ofKind, type Model } from './models.ts';
import { runChat } from './run-chat.ts';
import { ShowCode } from './show-code.tsx';

const MOST_MODELS = 4;

export interface ChatSettings {
  readonly system: string;
  readonly temperature: number | '';
  readonly most: number | '';
  readonly effort: string;
  /** JSON of `tools`, and of a schema for the answer. */
  readonly tools: string;
  readonly schema: string;
  readonly stream: boolean;
}
const NO_SETTINGS: ChatSettings = {
  system: '',
  temperature: '',
  most: '',
  effort: '',
  tools: '',
  schema: '',
  stream: true,
};
const SAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ],
  undefined,
  2,
);
const SAMPLE_SCHEMA = JSON.stringify(
  { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false },
  undefined,
  2,
);

export default function Chat({ models }: { models: readonly Model[] }) {
  const chats = ofKind(models, 'chat');
  const [codes, setCodes] = useKept<readonly string[]>('chat.models', [chats[0]?.id ?? '']);
  const [threads, setThreads] = useKept<Readonly<Record<number, readonly Turn[]>>>('chat.threads', {});
  const [text, setText] = useKept('chat.text', '');
  const [files, setFiles] = useKept<readonly GivenFile[]>('chat.files', []);
  const [settings, setSettings] = useKept<ChatSettings>('chat.settings', NO_SETTINGS);
  const [running, setRunning] = useState<ReadonlySet<number>>(new Set());
  const stops = useRef(new Map<number, AbortController>());
  const set = (changed: Partial<ChatSettings>): void => setSettings((before) => ({ ...before, ...changed }));
  const fault = settingsFault(settings);

  const ask = (at: number, turns: readonly Turn[]): void => {
    const code = codes[at] ?? '';
    const stop = new AbortController();
    stops.current.set(at, stop);
    setRunning((before) => new Set([...before, at]));
    void runChat(
      bodyOf(code, turns, settings),
      chats.find(({ id }) => id === code),
      stop.signal,
      (answer) => setThreads((before) => ({ ...before, [at]: [...turns, answer] })),
    ).finally(() => setRunning((before) => new Set([...before].filter((each) => each !== at))));
  };
  const sendAll = (): void => {
    if (text.trim() === '' || running.size > 0 || fault !== undefined) return;
    const question: Turn = { role: 'user', text, files };
    setText('');
    setFiles([]);
    codes.forEach((_, at) => ask(at, [...(threads[at] ?? []), question]));
  };
  const addFiles = (given: File[]): void => {
    void Promise.all(given.map(readAsUrl)).then((read) => setFiles((before) => [...before, ...read]));
  };
  const shown = bodyOf(codes[0] ?? '', [...(threads[0] ?? []), { role: 'user', text, files }], settings);

  return (
    <div className="play">
      <div className="play-main">
        <div className={`columns n${codes.length}`}>
          {codes.map((code, at) => (
            <ChatColumn
              key={at}
              models={chats}
              code={code}
              turns={threads[at] ?? []}
              isRunning={running.has(at)}
              onCode={(chosen) => setCodes((before) => before.map((each, index) => (index === at ? chosen : each)))}
              onStop={() => stops.current.get(at)?.abort()}
              onResults={(results) => ask(at, [...(threads[at] ?? []), ...results])}
              {...(codes.length > 1 && {
                onRemove: () => {
                  setCodes((before) => before.filter((_, index) => index !== at));
                  setThreads((before) =>
                    Object.fromEntries(
                      Object.entries(before)
                        .filter(([index]) => Number(index) !== at)
                        .map(([index, turns]) => [Number(index) > at ? Number(index) - 1 : Number(index), turns]),
                    ),
                  );
                },
              })}
            />
          ))}
        </div>
        <DropPlace onFiles={addFiles}>
          <Textarea
            aria-label={t('Your message')}
            placeholder={t('Ask something. Files and pictures can be dropped here.')}
            autosize
            minRows={2}
            maxRows={12}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                sendAll();
              }
            }}
          />
          <GivenFiles
            files={files}
            onRemove={(at) => setFiles((before) => before.filter((_, index) => index !== at))}
          />
          <div className="row play-actions">
            <ChooseFiles label={t('Add files')} onFiles={addFiles} />
            <Button
              size="xs"
              variant="default"
              disabled={codes.length >= MOST_MODELS}
              onClick={() =>
                setCodes((before) => [...before, chats.find(({ id }) => !before.includes(id))?.id ?? before[0] ?? ''])
              }
            >
              {t('Compare with another model')}
            </Button>
            <span className="grow" />
            <ShowCode request={{ path: '/v1/chat/completions', body: shown }} />
            <Button
              variant="default"
              disabled={running.size > 0}
              onClick={() => {
                setThreads({});
              }}
            >
              {t('New chat')}
            </Button>
            <Button onClick={sendAll} disabled={text.trim() === '' || running.size > 0 || fault !== undefined}>
              {t('Send')}
            </Button>
          </div>
        </DropPlace>
      </div>
      <ChatParameters settings={settings} set={set} />
    </div>
  );
}

function ChatParameters({ settings, set }: { settings: ChatSettings; set: (changed: Partial<ChatSettings>) => void }) {
  return (
    <details className="card play-side" open={window.innerWidth > 1200}>
      <summary>{t('Parameters')}</summary>
      <div className="stack">
        <Textarea
          label={t('System prompt')}
          autosize
          minRows={2}
          maxRows={8}
          value={settings.system}
          onChange={({ currentTarget }) => set({ system: currentTarget.value })}
        />
        <NumberInput
          label={t('Temperature')}
          min={0}
          max={2}
          step={0.1}
          hideControls
          value={settings.temperature}
          onChange={(value) => set({ temperature: typeof value === 'number' ? value : '' })}
        />
        <NumberInput
          label={t('Max output tokens')}
          min={1}
          hideControls
          value={settings.most}
          onChange={(value) => set({ most: typeof value === 'number' ? value : '' })}
        />
        <Select
          label={t('Reasoning')}
          placeholder={t('Model default')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={['minimal', 'low', 'medium', 'high']}
          value={settings.effort === '' ? null : settings.effort}
          onChange={(value) => set({ effort: value ?? '' })}
        />
        <JsonField
          label={t('Tools (JSON)')}
          sample={SAMPLE_TOOLS}
          value={settings.tools}
          onChange={(tools) => set({ tools })}
        />
        <JsonField
          label={t('Output schema (JSON)')}
          sample={SAMPLE_SCHEMA}
          value={settings.schema}
          onChange={(schema) => set({ schema })}
        />
        <Switch
          label={t('Stream the answer')}
          checked={settings.stream}
          onChange={({ currentTarget }) => set({ stream: currentTarget.checked })}
        />
      </div>
    </details>
  );
}

function JsonField({
  label,
  sample,
  value,
  onChange,
}: {
  label: string;
  sample: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <div>
      <Textarea
        label={label}
        autosize
        minRows={1}
        maxRows={14}
        classNames={{ input: 'mono' }}
        error={isJson(value) ? undefined : t('This is not JSON.')}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {value === '' && (
        <Button size="compact-xs" variant="subtle" mt={4} onClick={() => onChange(sample)}>
          {t('Insert an example')}
        </Button>
      )}
    </div>
  );
}

function isJson(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function settingsFault({ tools, schema }: ChatSettings): string | undefined {
  return isJson(tools) && isJson(schema) ? undefined : 'json';
}

/** The body of chat completions; what is not set is left out. */
function bodyOf(model: string, turns: readonly Turn[], settings: ChatSettings): Record<string, unknown> {
  const { system, temperature, most, effort, tools, schema, stream } = settings;
  const given = (text: string): boolean => text.trim() !== '' && isJson(text);
  return {
    model,
    messages: toMessages(system, turns),
    ...(temperature !== '' && { temperature }),
    ...(most !== '' && { max_completion_tokens: most }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(given(tools) && { tools: JSON.parse(tools) as unknown }),
    ...(given(schema) && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: JSON.parse(schema) as unknown },
      },
    }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  };
}
