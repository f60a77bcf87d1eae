/** A sample of recorded requests on another model: what it can cost is said first, and both answers stand side by side. */
import { Button, Progress, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '../api/api.ts';
import { t, type Text } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { PageLink } from '../ui/page-link.tsx';
import { CodeBlock, FaultBox, Tag } from '../ui/parts.tsx';
import { NOTHING_SENT, SampleRun, type Compared, type SampleSoFar } from './replay-run.ts';

type Estimate = Schemas['ReplayEstimate'];

const USUAL_SIZE = 10;
const MOST = 100;

interface Form {
  readonly size: string;
  readonly budget: string;
  readonly isSimulated: boolean;
}

export function ReplaySample({ of }: { of: Estimate }) {
  const [form, setForm] = useState<Form>(() => {
    const size = Math.min(USUAL_SIZE, of.requests);
    return { size: String(size), budget: budgetFor(of, size), isSimulated: false };
  });
  const [soFar, setSoFar] = useState<SampleSoFar>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const { size, budget, isSimulated } = form;
  const wanted = Number(size);
  const most = Number(budget.replace(',', '.'));
  const isReady = Number.isInteger(wanted) && wanted >= 1 && wanted <= MOST && (isSimulated || most > 0);
  const run = useMutation({
    mutationFn: () => {
      const { signal } = (running.current = new AbortController());
      setSoFar(NOTHING_SENT);
      const { key_id: keyId, model, from } = of;
      const order = { keyId, model, from, size: wanted, budget: isSimulated ? undefined : most };
      return new SampleRun(order, setSoFar, signal).run();
    },
  });
  return (
    <section className="stack" aria-label={t('Send a sample')}>
      <form
        className="card stack row-form"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        <h2>{t('Send a sample')}</h2>
        <p>
          {t(
            'Recorded requests are sent to the other model with a key that can spend the budget and no more. The owner of the first key pays. Leave the page open until it ends.',
          )}{' '}
          <a href="/docs/guides/replay.html#run-a-sample">{t('What it needs')}</a>
        </p>
        <SampleFields of={of} form={form} onForm={setForm} />
        <div className="row">
          <span className="grow" />
          {run.isPending && (
            <Button variant="default" onClick={() => running.current?.abort()}>
              {t('Stop')}
            </Button>
          )}
          <Button type="submit" disabled={!isReady} loading={run.isPending}>
            {isSimulated
              ? t('Send {count} requests', { count: size })
              : t('Send {count} requests for {usd} at most', { count: size, usd: formatUsd(most || 0) })}
          </Button>
        </div>
        {run.isError && <FaultBox error={run.error} />}
      </form>
      {soFar !== undefined && <Result of={soFar} model={of.model} />}
    </section>
  );
}

interface FieldsProps {
  readonly of: Estimate;
  readonly form: Form;
  readonly onForm: (form: Form) => void;
}

function SampleFields({ of, form, onForm }: FieldsProps) {
  const { size, budget, isSimulated } = form;
  const sizeTo = (typed: string): Form => ({
    ...form,
    size: typed,
    ...(Number(typed) >= 1 && { budget: budgetFor(of, Number(typed)) }),
  });
  return (
    <>
      <div className="fields">
        <TextInput
          label={t('Requests, {most} at most', { most: MOST })}
          inputMode="numeric"
          value={size}
          onChange={({ currentTarget }) => onForm(sizeTo(currentTarget.value))}
        />
        <TextInput
          label={t('Budget (USD)')}
          inputMode="decimal"
          disabled={isSimulated}
          value={budget}
          onChange={({ currentTarget }) => onForm({ ...form, budget: currentTarget.value })}
        />
        <Switch
          label={t('Simulated vendors answer, which costs nothing')}
          checked={isSimulated}
          onChange={({ currentTarget }) => onForm({ ...form, isSimulated: currentTarget.checked })}
        />
      </div>
      <details>
        <summary>{t('As a command')}</summary>
        <CodeBlock text={commandOf(of, form)} label={t('As a command')} />
      </details>
    </>
  );
}

/** Twice what so many requests are estimated at, in whole cents: answers may be longer. */
function budgetFor({ estimated_usd: usd, requests }: Estimate, size: number): string {
  return Math.max(0.01, Math.ceil((usd / requests) * size * 200) / 100).toFixed(2);
}

function commandOf({ key_id: key, model, from }: Estimate, { size, budget, isSimulated }: Form): string {
  return [
    `npx gateway replay --key ${key} --since ${from} -m '${model}'`,
    `  --sample ${size} ${isSimulated ? '--twin' : `--budget ${budget.replace(',', '.')}`} --url ${window.location.origin}`,
  ].join(' \\\n');
}

const STOPS: Readonly<Record<NonNullable<SampleSoFar['stopped']>, Text>> = {
  budget: 'It ended because the budget is used.',
  balance: 'It ended because the owner’s balance does not cover another request.',
  limit: 'It ended because another budget or limit does not cover another request. The page Budgets shows which.',
  person: 'You stopped it.',
  'no-more': 'There are no more requests that can be sent again.',
};

function Result({ of, model }: { of: SampleSoFar; model: string }) {
  const { state, chosen, compared, refused, stopped, withoutContent, incomplete, keyLeft } = of;
  const total = (cost: (each: Compared) => number): number => compared.reduce((sum, each) => sum + cost(each), 0);
  const ended = compared.length + refused.length;
  return (
    <>
      <div className="card stack" aria-live="polite">
        {state === 'looking' && <p>{t('Looking for requests whose content is kept…')}</p>}
        {state === 'sending' && (
          <>
            <p>{t('{done} of {all} answered', { done: ended, all: chosen })}</p>
            <Progress value={chosen === 0 ? 0 : (ended / chosen) * 100} aria-label={t('Progress')} />
          </>
        )}
        {state === 'done' && (
          <p>
            <b>
              {t('{count} compared: {before} as recorded, {after} on {model}', {
                count: formatNumber(compared.length),
                before: formatUsd(total(({ usd }) => usd.before)),
                after: formatUsd(total(({ usd }) => usd.after)),
                model,
              })}
            </b>
          </p>
        )}
        {stopped !== undefined && <p>{t(STOPS[stopped])}</p>}
        {withoutContent > 0 && (
          <p className="quiet">
            {t('{count} without content: set requests.log to bodies, and keep_bodies for the key.', {
              count: withoutContent,
            })}
          </p>
        )}
        {incomplete > 0 && (
          <p className="quiet">
            {t(
              '{count} left out: media or long texts are not kept, the conversation is kept elsewhere, or tools would run.',
              { count: incomplete },
            )}
          </p>
        )}
        {refused.map(({ requestId, why }) => (
          <p key={requestId}>
            <Tag tone="bad">{t('refused')}</Tag> {why}
          </p>
        ))}
        {keyLeft !== undefined && (
          <p>{t('The key {id} could not be revoked. It works for an hour at most.', { id: keyLeft })}</p>
        )}
      </div>
      {compared.map((each) => (
        <Pair key={each.requestId} of={each} model={model} />
      ))}
    </>
  );
}

/** One request with both answers. */
function Pair({
  of: { requestId, replayId, asked, before, after, differences, ms, usd },
  model,
}: {
  of: Compared;
  model: string;
}) {
  return (
    <article className="card stack">
      <p className="asked">{asked === '' ? requestId : asked}</p>
      <div className="row">
        {differences.length === 0 ? (
          <Tag tone="ok">{t('same tools, refusal and length')}</Tag>
        ) : (
          differences.map((each) => (
            <Tag key={each} tone="warn">
              <span lang="en">{each}</span>
            </Tag>
          ))
        )}
      </div>
      <div className="sides">
        <OneAnswer title={t('As recorded')} of={before} id={requestId} ms={ms.before} usd={usd.before} />
        <OneAnswer title={model} of={after} id={replayId} ms={ms.after} usd={usd.after} />
      </div>
    </article>
  );
}

interface AnswerProps {
  readonly title: string;
  readonly of: Schemas['ReplayAnswer'];
  readonly id: string;
  readonly ms: number;
  readonly usd: number;
}

function OneAnswer({ title, of: { text, calls }, id, ms, usd }: AnswerProps) {
  return (
    <div>
      <div className="row">
        <b className="grow">{title}</b>
        <span className="quiet small">
          {formatDuration(ms)} · {formatUsd(usd)}
        </span>
        <PageLink to={`/requests/${id}`} className="small">
          {t('View the request')}
        </PageLink>
      </div>
      {text !== '' && (
        <div className="answer" tabIndex={0} role="group" aria-label={t('Answer')}>
          {text}
        </div>
      )}
      {calls.map((call) => (
        <code key={call}>{call}</code>
      ))}
    </div>
  );
}
