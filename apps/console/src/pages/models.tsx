/** The catalogue: kinds, limits, prices, and who serves it. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { useState } from 'react';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { keep } from '../playground/drafts.ts';
import { choiceOf, placeOf, searchOf } from '../playground/playground-kind.ts';
import { useVisibleModels, type Model } from '../playground/models.ts';
import { t, type Text } from '../text/text.ts';
import { formatNumber, formatUsd, locale } from '../ui/format.ts';
import { Rows, type Column, Side } from '../ui/list.tsx';
import { Copy, Empty, Facts, FilterBar, FaultBox, PageHead, Tag } from '../ui/parts.tsx';
import { inputPrice, outputPrice, priceWords, type PriceLine } from '../ui/prices.ts';
import { SearchField } from '../ui/search-field.tsx';
import { ModelChanges } from './model-changes.tsx';

const limit = (model: Model, name: string): number | undefined => {
  const value = model.limits?.[name];
  return typeof value === 'number' ? value : undefined;
};

/** What the rows can be ordered by. */
const ORDERS: Readonly<Record<string, (model: Model) => string | number | undefined>> = {
  model: ({ id }) => id,
  kind: ({ kind }) => kind,
  vendor: ({ owned_by: vendor }) => vendor,
  input: ({ price }) => inputPrice(price)?.usd,
  output: ({ price }) => outputPrice(price)?.usd,
  context: (model) => limit(model, 'max_input_tokens'),
  answer: (model) => limit(model, 'max_output_tokens'),
};

const columns = (): readonly Column<Model>[] => [
  { name: t('Model'), width: '2fr', narrow: '1.5fr', order: 'model', cell: ({ id }) => id },
  { name: t('Kind'), width: '0.9fr', order: 'kind', cell: ({ kind }) => <Tag tone="plain">{kind}</Tag>, extra: true },
  { name: t('Vendor'), width: '0.8fr', order: 'vendor', cell: ({ owned_by: vendor }) => vendor, extra: true },
  { name: t('Input price'), width: '1.5fr', order: 'input', cell: ({ price }) => <Amount of={inputPrice(price)} /> },
  { name: t('Output price'), width: '1.5fr', order: 'output', cell: ({ price }) => <Amount of={outputPrice(price)} /> },
  { name: t('Context'), width: '0.8fr', order: 'context', right: true, extra: true, cell: tokens('max_input_tokens') },
  {
    name: t('Max output'),
    width: '1fr',
    order: 'answer',
    right: true,
    extra: true,
    cell: tokens('max_output_tokens'),
  },
  {
    name: t('Served by'),
    width: '0.8fr',
    cell: ({ simulated }) => (simulated ? <Tag tone="warn">{t('twin')}</Tag> : <Tag tone="ok">{t('vendor')}</Tag>),
    extra: true,
  },
];

/** A limit in tokens as `400K`, with the exact number where one points at it. */
const tokens = (name: string) =>
  function TokensCell(model: Model) {
    const value = limit(model, name);
    return value === undefined ? '–' : <span title={formatNumber(value)}>{formatTokens(value)}</span>;
  };

/** `400K`, `1.05M` */
const formatTokens = (value: number): string =>
  new Intl.NumberFormat(locale(), { notation: 'compact', maximumSignificantDigits: 3 }).format(value);

/** On narrow screens the unit stands under the amount. */
function Amount({ of }: { of: PriceLine | undefined }) {
  if (of === undefined) return <>–</>;
  return (
    <span className="price" title={`${formatUsd(of.usd)} ${of.unit}`}>
      <span>{formatUsd(of.usd)}</span> <span className="quiet small">{of.unit}</span>
    </span>
  );
}

/** In the order that was asked for; what has no value comes last either way. */
function ordered(models: readonly Model[], by: string | undefined): readonly Model[] {
  const valueOf = by === undefined ? undefined : ORDERS[by.replace(/^-/, '')];
  if (valueOf === undefined) return models;
  const sign = by?.startsWith('-') === true ? -1 : 1;
  return models.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b));
  });
}

export default function Models() {
  const { admin } = useRights();
  const [filters, change] = useFilters();
  if (!admin || filters['view'] !== 'changes') return <AllModels />;
  return (
    <>
      <PageHead title={t('New models')} about={t('What vendors list, beside the catalogue: new, gone, other prices.')}>
        <Button component={PageLink} to="/models" variant="default">
          {t('All models')}
        </Button>
      </PageHead>
      <ModelChanges filters={filters} change={change} />
    </>
  );
}

function AllModels() {
  const { admin, key } = useRights();
  const [{ q, kind, vendor, order }, change] = useFilters();
  const [open, setOpen] = useState<Model>();
  const models = useVisibleModels();
  const found = (models.data ?? []).filter(
    (model) =>
      (kind === undefined || model.kind === kind) &&
      (vendor === undefined || model.owned_by === vendor) &&
      (q === undefined ||
        `${model.id} ${model.owned_by} ${model.description ?? ''}`.toLowerCase().includes(q.toLowerCase())),
  );
  const all = (of: (model: Model) => string): string[] => [...new Set(models.data?.map(of))].sort();
  return (
    <>
      <PageHead
        title={t('Models')}
        about={
          key === null
            ? t('All models of the catalogue, with their prices.')
            : t('Models that your key may use, with their prices.')
        }
      >
        {admin && (
          <Button component={PageLink} to="/models" search={{ view: 'changes' }} variant="default">
            {t('New models')}
          </Button>
        )}
      </PageHead>
      <FilterBar set={[q, kind, vendor].filter((each) => each !== undefined).length}>
        <SearchField label={t('Search')} value={q} onValue={(typed) => change({ q: typed })} />
        <Choice
          label={t('Kind')}
          value={kind}
          of={all((model) => model.kind)}
          onValue={(next) => change({ kind: next })}
        />
        <Choice
          label={t('Vendor')}
          value={vendor}
          of={all((model) => model.owned_by)}
          onValue={(next) => change({ vendor: next })}
        />
      </FilterBar>
      {models.isError && <FaultBox error={models.error} onRetry={() => void models.refetch()} />}
      {models.data !== undefined && found.length === 0 && (
        <Empty title={t('No models found')}>{t('Nothing fits these filters; clear some of them.')}</Empty>
      )}
      {found.length > 0 && (
        <Rows
          label={t('Models')}
          columns={columns()}
          rows={ordered(found, order)}
          rowKey={({ id }) => id}
          onOpen={setOpen}
          order={{ by: order, onOrder: (by) => change({ order: by }) }}
        />
      )}
      <Side title={open?.id ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <ModelDetail model={open} />}
      </Side>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly of: string[];
  readonly onValue: (value: string | undefined) => void;
}

function Choice({ label, value, of, onValue }: ChoiceProps) {
  return (
    <Select
      label={label}
      clearable
      clearButtonProps={{ 'aria-label': t('Clear') }}
      data={of}
      value={value ?? null}
      onChange={(chosen) => onValue(chosen ?? undefined)}
    />
  );
}

function ModelDetail({ model }: { model: Model }) {
  const { admin } = useRights();
  const place = placeOf(model.kind);
  const prices = priceWords(model.price);
  return (
    <>
      {model.description !== undefined && <div>{model.description}</div>}
      <div className="row">
        <Copy text={model.id} label={t('Copy the model code')} />
        {place !== undefined && (
          <Button
            component={PageLink}
            to="/playground"
            search={searchOf(place)}
            size="xs"
            onClick={() => keep(place.draft, choiceOf(place, model.id))}
          >
            {t('Try it in the playground')}
          </Button>
        )}
      </div>
      <Facts
        of={{
          [t('Kind')]: model.kind,
          [t('Vendor')]: model.owned_by,
          [t('Formats')]: model.formats.join(', '),
          [t('Paths')]: model.endpoints.map((path) => (
            <div key={path}>
              <code>{path}</code>
            </div>
          )),
          [t('Voices')]: model.voices?.join(', '),
          ...limitFacts(model.limits),
        }}
      />
      {prices.length > 0 && (
        <>
          <h3>{t('Prices')}</h3>
          <ul className="plain-list">
            {prices.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
      {admin && <Offers model={model.id} />}
    </>
  );
}

/** Where requests for it go. */
function Offers({ model }: { model: string }) {
  const query = useQuery({
    queryKey: ['explain', model],
    queryFn: () => ask(api.POST('/admin/routes/explain', { body: { model } })),
  });
  if (query.isError) return <FaultBox error={query.error} />;
  return (
    <>
      <h3>{t('Where it goes')}</h3>
      {query.data?.candidates.length === 0 && <p className="quiet">{t('No account can serve it.')}</p>}
      <ol>
        {query.data?.candidates.map((candidate, at) => (
          <li key={at}>
            {candidate.account} {candidate.cooling && <Tag tone="warn">{t('cooling down')}</Tag>}
          </li>
        ))}
      </ol>
    </>
  );
}

const LIMIT_NAMES: Readonly<Record<string, Text>> = {
  max_input_tokens: 'Context (tokens)',
  max_output_tokens: 'Max output (tokens)',
  inputs: 'Takes',
  outputs: 'Gives',
  durations: 'Seconds',
  resolutions: 'Resolutions',
  default_resolution: 'Usual resolution',
  ratios: 'Aspect ratios',
  sizes: 'Sizes',
  max_images: 'Images at most',
};

/** Limits in words; those that have none keep their names. */
function limitFacts(limits: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => {
      const title = LIMIT_NAMES[name];
      return [title === undefined ? name : t(title), limitWords(value)];
    }),
  );
}

function limitWords(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { min, max, values } = value as { min?: number; max?: number; values?: readonly number[] };
  if (values !== undefined) return values.join(', ');
  return min !== undefined && max !== undefined ? `${min}–${max}` : JSON.stringify(value);
}
