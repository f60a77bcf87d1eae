/** What a chat is asked with beside its messages: the form of it, and the body that comes of it. */
import { Button, NumberInput, Select, Switch, Textarea } from '@mantine/core';
import { t } from '../text/text.ts';
import { formatNumber } from '../ui/format.ts';
import { toMessages, type Turn } from './chat-turns.ts';
import type { Model } from './models.ts';

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
export const NO_SETTINGS: ChatSettings = {
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

interface ChatParametersProps {
  readonly settings: ChatSettings;
  readonly set: (changed: Partial<ChatSettings>) => void;
  /** Those that are asked. */
  readonly models: readonly Model[];
}

export function ChatParameters({ settings, set, models }: ChatParametersProps) {
  const takes = (parameter: string): boolean => models.some((model) => isTaken(model, parameter));
  const longest = mostOutput(models);
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
        {takes('temperature') && (
          <NumberInput
            label={t('Temperature')}
            min={0}
            max={2}
            step={0.1}
            hideControls
            placeholder={t('Model default')}
            value={settings.temperature}
            onChange={(value) => set({ temperature: typeof value === 'number' ? value : '' })}
          />
        )}
        <NumberInput
          label={t('Max output tokens')}
          min={1}
          {...(longest !== undefined && {
            max: longest,
            clampBehavior: 'none' as const,
            description: t('At most {count}', { count: formatNumber(longest) }),
          })}
          hideControls
          placeholder={t('Model default')}
          value={settings.most}
          onChange={(value) => set({ most: typeof value === 'number' ? value : '' })}
        />
        {takes('reasoning_effort') && (
          <Select
            label={t('Reasoning')}
            placeholder={t('Model default')}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            data={['minimal', 'low', 'medium', 'high']}
            value={settings.effort === '' ? null : settings.effort}
            onChange={(value) => set({ effort: value ?? '' })}
          />
        )}
        {takes('tools') && (
          <JsonField
            label={t('Tools (JSON)')}
            sample={SAMPLE_TOOLS}
            value={settings.tools}
            onChange={(tools) => set({ tools })}
          />
        )}
        {takes('response_format') && (
          <JsonField
            label={t('Output schema (JSON)')}
            sample={SAMPLE_SCHEMA}
            value={settings.schema}
            onChange={(schema) => set({ schema })}
          />
        )}
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

export function settingsFault({ tools, schema }: ChatSettings): string | undefined {
  return isJson(tools) && isJson(schema) ? undefined : 'json';
}

/** Whether a model takes a parameter; one that does not say is asked. */
function isTaken(model: Model | undefined, parameter: string): boolean {
  const supported: readonly string[] | undefined = model?.supported_parameters;
  return supported === undefined || supported.includes(parameter);
}

/** The longest answer of any of them, in tokens, where all of them say. */
function mostOutput(models: readonly Model[]): number | undefined {
  const longest = models.map(({ limits }) => limits?.['max_output_tokens']);
  const known = longest.filter((each) => typeof each === 'number');
  return known.length === 0 || known.length < longest.length ? undefined : Math.max(...known);
}

/** The body of chat completions; what is not set, and what the model does not take, is left out. */
export function chatBody(
  model: { readonly id: string } & Partial<Model>,
  turns: readonly Turn[],
  settings: ChatSettings,
): Record<string, unknown> {
  const { system, temperature, most, effort, tools, schema, stream } = settings;
  const takes = (parameter: string): boolean => isTaken(model as Model, parameter);
  const given = (text: string): boolean => text.trim() !== '' && isJson(text);
  return {
    model: model.id,
    messages: toMessages(system, turns),
    ...(temperature !== '' && takes('temperature') && { temperature }),
    ...(most !== '' && { max_completion_tokens: most }),
    ...(effort !== '' && takes('reasoning_effort') && { reasoning_effort: effort }),
    ...(given(tools) && takes('tools') && { tools: JSON.parse(tools) as unknown }),
    ...(given(schema) &&
      takes('response_format') && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', strict: true, schema: JSON.parse(schema) as unknown },
        },
      }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  };
}
