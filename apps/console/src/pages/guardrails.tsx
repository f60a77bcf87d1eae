/** Guardrails: which there are, what they make of a text, and what they refused lately. */
import { Autocomplete, Button, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { faultAt } from '../api/fault.ts';
import { useCatalogue } from '../playground/models.ts';
import { t, type Text } from '../text/text.ts';
import { List, type Column } from '../ui/list.tsx';
import { useOpenPage } from '../ui/page-link.tsx';
import { CodeBlock, Empty, Facts, FaultBox, FormFault, PageHead, Tag, When, type Tone } from '../ui/parts.tsx';

type Guardrail = Schemas['Guardrail'];
type Request = Schemas['RequestRecord'];

const LIVE_MS = 10_000;
const MODES: Readonly<Record<Guardrail['mode'], Text>> = { observe: 'observes', mask: 'masks', refuse: 'refuses' };
const TONES: Readonly<Record<Schemas['GuardrailFinding']['outcome'], Tone>> = {
  passed: 'ok',
  observed: 'accent',
  masked: 'warn',
  refused: 'bad',
  not_asked: 'quiet',
};
const OUTCOMES: Readonly<Record<Schemas['GuardrailFinding']['outcome'], Text>> = {
  passed: 'passed',
  observed: 'observed',
  masked: 'masked',
  refused: 'refused',
  not_asked: 'not asked',
};

export default function Guardrails() {
  const query = useQuery({ queryKey: ['guardrails'], queryFn: () => ask(api.GET('/admin/guardrails')) });
  const all = query.data?.data;
  return (
    <>
      <PageHead
        title={t('Guardrails')}
        about={t('They look through the texts of requests and answers, and observe, mask or refuse what they find.')}
      />
      {query.isError && <FaultBox error={query.error} onRetry={() => void query.refetch()} />}
      {all?.length === 0 && (
        <Empty
          title={t('No guardrail is configured')}
          action={<a href="/docs/guides/guardrails">{t('How to configure guardrails')}</a>}
        >
          {t('Guardrails are a list in the configuration file.')}
        </Empty>
      )}
      {all !== undefined && all.length > 0 && (
        <div className="stack">
          <div className="two">
            <TryText />
            <section className="card stack" aria-label={t('Configured')}>
              <h2>{t('Configured')}</h2>
              {all.map((each) => (
                <OneGuardrail key={each.name} of={each} />
              ))}
            </section>
          </div>
          <Refused />
        </div>
      )}
    </>
  );
}

function OneGuardrail({ of }: { of: Guardrail }) {
  const { name, mode, stages, models, keys, groups, detect, patterns, words, judge } = of;
  const whose = (names: readonly string[]): string | undefined => (names.length === 0 ? undefined : names.join(', '));
  return (
    <div>
      <div className="row">
        <h3>{name}</h3>
        <Tag tone={mode === 'refuse' ? 'bad' : mode === 'mask' ? 'warn' : 'accent'}>{t(MODES[mode])}</Tag>
        <span className="quiet small">
          {stages.map((stage) => t(stage === 'request' ? 'requests' : 'answers')).join(', ')}
        </span>
      </div>
      <Facts
        of={{
          [t('Looks for')]: whose([
            ...detect,
            ...patterns.map((each) => each.name),
            ...(words === 0 ? [] : [t('words ({count})', { count: words })]),
          ]),
          [t('Judged by')]: judge === null ? undefined : `${judge.kind} ${judge.name}`,
          [t('Models')]: whose(models),
          [t('Keys')]: whose(keys),
          [t('Groups')]: whose(groups),
        }}
      />
    </div>
  );
}

const FIELDS = ['text', 'model', 'key', 'group'];

/** What they would make of a text; it goes nowhere. */
function TryText() {
  const [text, setText] = useState('');
  const [stage, setStage] = useState<Schemas['GuardrailStage']>('request');
  const [sender, setSender] = useState<Sender>({ model: '', key: '', group: '' });
  const trial = useMutation({
    mutationFn: () => ask(api.POST('/admin/guardrails/test', { body: { text, stage, ...filledIn(sender) } })),
  });
  return (
    <form
      className="card stack row-form"
      onSubmit={(event) => {
        event.preventDefault();
        trial.mutate();
      }}
    >
      <h2>{t('Try a text')}</h2>
      <p className="quiet small">{t('Nothing is sent: no vendor, hook or moderation model is asked.')}</p>
      <Textarea
        label={t('Text')}
        rows={5}
        error={faultAt(trial.error, 'text')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <SegmentedControl
        aria-label={t('Where it stands')}
        value={stage}
        onChange={setStage}
        data={[
          { value: 'request', label: t('In a request') },
          { value: 'answer', label: t('In an answer') },
        ]}
      />
      <SenderFields
        sender={sender}
        set={(changed) => setSender((before) => ({ ...before, ...changed }))}
        error={trial.error}
      />
      <FormFault error={trial.error} fields={FIELDS} />
      <div className="row">
        <span className="grow" />
        <Button type="submit" loading={trial.isPending} disabled={text === ''}>
          {t('Try it')}
        </Button>
      </div>
      {trial.data !== undefined && <TrialResult of={trial.data} />}
    </form>
  );
}

/** Which guardrails look depends on who sends the text to which model; empty is nobody in particular. */
interface Sender {
  readonly model: string;
  readonly key: string;
  readonly group: string;
}

const filledIn = ({ model, key, group }: Sender): Partial<Sender> => ({
  ...(model !== '' && { model }),
  ...(key !== '' && { key }),
  ...(group !== '' && { group }),
});

interface SenderFieldsProps {
  readonly sender: Sender;
  readonly set: (changed: Partial<Sender>) => void;
  readonly error: unknown;
}

function SenderFields({ sender, set, error }: SenderFieldsProps) {
  const models = useCatalogue();
  return (
    <>
      <Autocomplete
        label={t('Model')}
        description={t('Without it, only guardrails of all models look.')}
        limit={100}
        error={faultAt(error, 'model')}
        data={[...new Set(models.data?.map(({ id }) => id) ?? [])]}
        value={sender.model}
        onChange={(model) => set({ model })}
      />
      <div className="fields">
        <TextInput
          label={t('Key name')}
          error={faultAt(error, 'key')}
          value={sender.key}
          onChange={({ currentTarget }) => set({ key: currentTarget.value })}
        />
        <TextInput
          label={t('Group')}
          placeholder="default"
          error={faultAt(error, 'group')}
          value={sender.group}
          onChange={({ currentTarget }) => set({ group: currentTarget.value })}
        />
      </div>
    </>
  );
}

function TrialResult({ of: { outcome, text, guardrails } }: { of: Schemas['GuardrailTrialResult'] }) {
  return (
    <div className="stack" aria-live="polite">
      <div className="row">
        <h3 className="grow">{t('What becomes of it')}</h3>
        <Tag tone={TONES[outcome]}>{t(OUTCOMES[outcome])}</Tag>
      </div>
      {text !== null && outcome === 'masked' && <CodeBlock text={text} label={t('What goes on')} />}
      {guardrails.length === 0 && <p className="quiet">{t('No guardrail is for this model, key and group.')}</p>}
      <ul>
        {guardrails.map(({ name, outcome: own, found }) => (
          <li key={name}>
            <b>{name}</b> <Tag tone={TONES[own]}>{t(OUTCOMES[own])}</Tag>{' '}
            {found.map(({ label, count }) => `${label} (${count})`).join(', ')}
          </li>
        ))}
      </ul>
    </div>
  );
}

const columns = (): readonly Column<Request>[] => [
  { name: t('Time'), width: '92px', narrow: '84px', cell: ({ at }) => <When at={at} />, wraps: true },
  {
    name: t('Found'),
    width: '2.4fr',
    cell: ({ guardrails }) => (guardrails.length === 0 ? t('the vendor’s own filter') : guardrails.join(', ')),
    wraps: true,
  },
  { name: t('Model'), width: '1fr', cell: ({ model }) => model ?? '–', extra: true, wraps: true },
  { name: t('Key'), width: '1fr', cell: ({ key_name: name, key_id: id }) => name ?? id, extra: true, wraps: true },
  {
    name: t('Owner'),
    width: '1fr',
    cell: ({ owner_name: name, owner_id: id }) => name ?? id,
    extra: true,
    wraps: true,
  },
];

/** What was refused for its content, by guardrails and by vendors. */
function Refused() {
  const open = useOpenPage();
  return (
    <section className="stack" aria-label={t('Refused lately')}>
      <h2>{t('Refused lately')}</h2>
      <List<Request, string>
        label={t('Refused lately')}
        queryKey={['requests', 'refused']}
        refresh={() => LIVE_MS}
        read={(after) =>
          ask(
            api.GET('/admin/requests', {
              params: { query: { error: 'content_refused', limit: 50, ...(after !== undefined && { after }) } },
            }),
          )
        }
        columns={columns()}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open({ to: `/requests/${id}` })}
        empty={<p className="quiet">{t('Nothing was refused for its content.')}</p>}
      />
    </section>
  );
}
