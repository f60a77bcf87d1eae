/** Whom a request would go to, and why. */
import { Autocomplete, Button, MultiSelect, NumberInput, Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { api, ask, type Schemas } from '../api/api.ts';
import { useKept } from '../playground/drafts.ts';
import { t, type Text } from '../text/text.ts';
import { formatDuration } from '../ui/format.ts';
import { Empty, FaultBox, PageHead, Tag } from '../ui/parts.tsx';
import { EditRoute } from './route-form.tsx';
import { RouteTree } from './route-tree.tsx';

type Question = Schemas['RouteQuestion'];
type Candidate = Schemas['RouteCandidate'];
const INPUTS = ['image', 'audio', 'video', 'document', 'tools'] as const;

export default function Routes() {
  const asked = useQuestion();
  const { question } = asked;
  const accounts = useQuery({ queryKey: ['account-list'], queryFn: () => ask(api.GET('/admin/accounts')) });
  const codes = useCodes(accounts.data?.data ?? []);
  const explain = useMutation({
    mutationFn: () => ask(api.POST('/admin/routes/explain', { body: asked.body() })),
  });
  const { data } = explain;
  const root = codes.includes(question.model) ? question.model : data?.model;
  return (
    <>
      <PageHead title={t('Routes')} about={t('Describe a request to see where it would be routed, and why.')} />
      <div className="two">
        <QuestionForm asked={asked} codes={codes} isPending={explain.isPending} onSend={() => explain.mutate()} />
        <div className="stack">
          {root !== undefined && (
            <>
              <details className="card">
                <summary>
                  <b>{t('Change this route')}</b> <code>{root}</code>
                </summary>
                <EditRoute
                  key={root}
                  model={root}
                  codes={codes}
                  onSaved={() => {
                    notifications.show({ message: t('Saved'), closeButtonProps: { 'aria-label': t('Close') } });
                    if (question.model !== '') explain.mutate();
                  }}
                />
              </details>
              <RouteTree
                key={root}
                model={root}
                accounts={accounts.data?.data ?? []}
                candidates={data?.model === root ? data.candidates : []}
              />
            </>
          )}
          {explain.isError && <FaultBox error={explain.error} />}
          {data === undefined && !explain.isError && (
            <Empty title={t('No explanation yet')}>
              {t('Choose a model and press Explain; nothing is sent to any vendor.')}
            </Empty>
          )}
          {data !== undefined && <Explanation explanation={data} />}
        </div>
      </div>
    </>
  );
}

type Asked = ReturnType<typeof useQuestion>;

/** The request that is asked about, as it was typed: it is still there when one comes back to the page. */
function useQuestion() {
  const [question, setQuestion] = useKept<Question>('routes.question', { model: '' });
  const [tags, setTags] = useKept('routes.tags', '');
  const set = (changed: Partial<Question>): void => setQuestion((before) => without({ ...before, ...changed }));
  return { question, set, tags, setTags, body: (): Question => ({ ...question, ...tagsOf(tags) }) };
}

interface QuestionFormProps {
  readonly asked: Asked;
  readonly codes: readonly string[];
  readonly isPending: boolean;
  readonly onSend: () => void;
}

function QuestionForm({ asked: { question, set, tags, setTags }, codes, isPending, onSend }: QuestionFormProps) {
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <Autocomplete
        label={t('Model')}
        required
        withAsterisk={false}
        limit={100}
        data={codes}
        value={question.model}
        onChange={(model) => set({ model })}
      />
      <MultiSelect
        label={t('Inputs beside text')}
        data={[...INPUTS]}
        value={question.inputs ?? []}
        onChange={(inputs) => set({ inputs: inputs })}
      />
      <NumberInput
        label={t('Input tokens')}
        min={0}
        hideControls
        value={question.input_tokens ?? ''}
        onChange={(value) => set({ input_tokens: typeof value === 'number' ? value : undefined } as Partial<Question>)}
      />
      <TextInput
        label={t('Key name')}
        value={question.key ?? ''}
        onChange={({ currentTarget }) => set({ key: currentTarget.value })}
      />
      <TextInput
        label={t('Group')}
        value={question.group ?? ''}
        onChange={({ currentTarget }) => set({ group: currentTarget.value })}
      />
      <TextInput
        label={t('Tags')}
        placeholder="team=search, tier=gold"
        value={tags}
        onChange={({ currentTarget }) => setTags(currentTarget.value)}
      />
      <Select
        label={t('Mode')}
        allowDeselect={false}
        data={[
          { value: 'live', label: t('live') },
          { value: 'test', label: t('test') },
        ]}
        value={question.mode ?? 'live'}
        onChange={(mode) => set({ mode: mode === 'test' ? 'test' : 'live' })}
      />
      <div className="row">
        <span className="grow" />
        <Button type="submit" disabled={question.model.trim() === ''} loading={isPending}>
          {t('Explain')}
        </Button>
      </div>
    </form>
  );
}

/** What can be asked for: what accounts offer, and rows that only lead to others. */
function useCodes(accounts: readonly Schemas['Account'][]): readonly string[] {
  const rows = useQueries({
    queries: (['file', 'database'] as const).map((from) => ({
      queryKey: ['configuration-entries', 'models', from, 'all'],
      queryFn: () => ask(api.GET('/admin/config/entries', { params: { query: { section: 'models', from } } })),
    })),
    combine: (answers) => answers.flatMap(({ data }) => data?.data.map(({ name }) => name) ?? []),
  });
  return [...new Set([...accounts.flatMap(({ models }) => models), ...rows])].sort();
}

function Explanation({ explanation }: { explanation: Schemas['RouteExplanation'] }) {
  const { candidates, on_context_too_long: tooLong, on_content_refusal: refused, notes, model } = explanation;
  return (
    <>
      <Candidates title="Candidates, in order" model={model} candidates={candidates} />
      {tooLong.length > 0 && <Candidates title="When the input is too long" candidates={tooLong} />}
      {refused.length > 0 && <Candidates title="When the content is refused" candidates={refused} />}
      <section className="card">
        <h2>{t('Why')}</h2>
        {notes.length === 0 && (
          <p className="quiet">{t('There is nothing to say: no model and no account was left out.')}</p>
        )}
        <ul>
          {notes.map(({ model: code, account, left_out: isOut, reason }, at) => (
            <li key={at}>
              {isOut && <Tag tone="warn">{t('left out')}</Tag>}{' '}
              <b>{[code, account].filter((part) => part !== null).join(' · ')}</b> {reason}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Candidates({ title, model, candidates }: { title: Text; model?: string; candidates: readonly Candidate[] }) {
  return (
    <section className="card">
      <h2>
        {t(title)} {model !== undefined && <code>{model}</code>}
      </h2>
      {candidates.length === 0 && <p className="quiet">{t('No account can serve it.')}</p>}
      <ol className="route">
        {candidates.map((candidate, at) => (
          <li key={at}>
            <b>{candidate.account}</b> <code>{candidate.model}</code>
            <div className="row small">
              <Tag tone="plain">{candidate.by}</Tag>
              <Tag tone="plain">{candidate.strategy}</Tag>
              {candidate.cooling && <Tag tone="warn">{t('cooling down')}</Tag>}
              <span className="quiet">
                {t('{count} in flight', { count: candidate.in_flight })}
                {candidate.expected_ms !== null && ` · ≈ ${formatDuration(candidate.expected_ms)}`}
              </span>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function tagsOf(text: string): Pick<Question, 'tags'> {
  const pairs = text
    .split(',')
    .map((pair) => pair.split('=').map((part) => part.trim()))
    .filter((pair): pair is [string, string] => pair.length === 2 && pair[0] !== '');
  return pairs.length === 0 ? {} : { tags: Object.fromEntries(pairs) };
}

/** Without what is empty. */
function without(question: Question): Question {
  const values: readonly [string, unknown][] = Object.entries(question);
  const kept = values.filter(
    ([name, value]) =>
      name === 'model' || (value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)),
  );
  return { ...Object.fromEntries(kept), model: question.model };
}
