/** What recorded requests of a key would have cost on another model, and what it answers to a sample of them. */
import { Autocomplete, Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/api.ts';
import { faultAt } from '../api/fault.ts';
import { ofKind, useCatalogue } from '../playground/models.ts';
import { t } from '../text/text.ts';
import { formatDuration, formatNumber, formatUsd } from '../ui/format.ts';
import { NameFilter } from '../ui/names.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { Empty, Facts, FormFault, PageHead } from '../ui/parts.tsx';
import { ReplaySample } from './replay-sample.tsx';

type Estimate = Schemas['ReplayEstimate'];

const HOUR_MS = 3_600_000;
const HOURS = [1, 12, 24, 168, 720] as const;
const USUAL_HOURS = 24;
const FIELDS = ['model', 'from'];

export function Replay({ keyId }: { keyId: string | undefined }) {
  const [key, setKey] = useState(keyId);
  const [model, setModel] = useState('');
  const [hours, setHours] = useState<number>(USUAL_HOURS);
  const models = useCatalogue();
  const estimate = useMutation({
    mutationFn: () => {
      const from = new Date(Date.now() - hours * HOUR_MS).toISOString();
      return ask(
        api.GET('/admin/replay-estimate', { params: { query: { key_id: Number(key), model: model.trim(), from } } }),
      );
    },
  });
  const found = estimate.data;
  return (
    <>
      <PageHead
        title={t('Try on another model')}
        about={t('What recorded requests would have cost on another model, how long it takes, and what it answers.')}
      >
        <Button component={PageLink} to="/requests" search={key === undefined ? {} : { key_id: key }} variant="default">
          {t('All requests')}
        </Button>
      </PageHead>
      <div className="stack">
        <div className="two">
          <form
            className="card stack row-form"
            onSubmit={(event) => {
              event.preventDefault();
              estimate.mutate();
            }}
          >
            <NameFilter of="key" value={key} onValue={setKey} />
            <Select
              label={t('Requests of')}
              allowDeselect={false}
              data={HOURS.map((each) => ({ value: String(each), label: hoursWords(each) }))}
              value={String(hours)}
              onChange={(chosen) => setHours(Number(chosen ?? USUAL_HOURS))}
            />
            <Autocomplete
              label={t('The other model')}
              limit={100}
              error={faultAt(estimate.error, 'model')}
              data={[...new Set(ofKind(models.data ?? [], 'chat').map(({ id }) => id))]}
              value={model}
              onChange={setModel}
            />
            <FormFault error={estimate.error} fields={FIELDS} />
            <p className="quiet small">{t('The estimate reads the log. No vendor is asked.')}</p>
            <div className="row">
              <span className="grow" />
              <Button type="submit" disabled={key === undefined || model.trim() === ''} loading={estimate.isPending}>
                {t('Estimate')}
              </Button>
            </div>
          </form>
          {found === undefined ? (
            <Empty title={t('No estimate yet')}>
              {t('Choose a key and the model that you would like to move its requests to.')}
            </Empty>
          ) : (
            <Found of={found} />
          )}
        </div>
        {found !== undefined && found.requests > 0 && <ReplaySample key={`${found.model} ${found.from}`} of={found} />}
      </div>
    </>
  );
}

function hoursWords(hours: number): string {
  return hours < 48 ? t('the last {count} hours', { count: hours }) : t('the last {count} days', { count: hours / 24 });
}

function Found({ of }: { of: Estimate }) {
  if (of.requests === 0) return <p aria-live="polite">{t('The log has no answered chat of this key in that time.')}</p>;
  const count = formatNumber(of.requests);
  return (
    <div className="card stack" aria-live="polite">
      <div className="cards figures totals">
        <div className="figure">
          <span>{t('As recorded')}</span>
          <b>{formatUsd(of.charged_usd)}</b>
          <span>{timeWords(of.latency)}</span>
        </div>
        <div className="figure">
          <span>{t('On {model}, estimated', { model: of.model })}</span>
          <b className={of.estimated_usd < of.charged_usd ? 'better' : undefined}>{formatUsd(of.estimated_usd)}</b>
          <span>{timeWords(of.model_latency)}</span>
        </div>
      </div>
      <Facts
        of={{
          [t('Requests')]: of.has_more ? t('{count}, the newest; there are more', { count }) : count,
          [t('Asked for')]: of.asked.map((each) => `${each.model} (${formatNumber(each.requests)})`).join(', '),
          [t('Tokens')]: t('{input} in, {cached} of them cached, {output} out', {
            input: formatNumber(of.input_tokens),
            cached: formatNumber(of.cached_input_tokens),
            output: formatNumber(of.output_tokens),
          }),
        }}
      />
      <p className="quiet small">
        {t('The estimate takes the recorded tokens. Models count tokens differently and answer at other lengths.')}
      </p>
    </div>
  );
}

function timeWords(latency: Schemas['ReplayLatency'] | null): string {
  if (latency === null) return t('no answers in the log');
  const { p50, p90, count } = latency;
  return t('{median} median, {p90} for 90 %; answers: {count}', {
    median: formatDuration(p50),
    p90: formatDuration(p90),
    count: formatNumber(count),
  });
}
