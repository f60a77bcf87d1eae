/** The catalogue: kinds, limits, prices, and who serves it. */
import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink, useFilters } from '../ui/page-link.tsx';
import { useState } from 'react';
import { api, ask } from '../api/api.ts';
import { useRights } from '../api/session.ts';
import { AddKey } from '../playground/add-key.tsx';
import { keep } from '../playground/drafts.ts';
import { choiceOf, placeOf, searchOf } from '../playground/playground-kind.ts';
import { useModels, type Model } from '../playground/models.ts';
import { t } from '../text/text.ts';
import { formatUsd } from '../ui/format.ts';
import { Rows, type Column, Side } from '../ui/list.tsx';
import { Copy, Empty, Facts, FilterBar, FaultBox, PageHead, Tag } from '../ui/parts.tsx';
import { SearchField } from '../ui/search-field.tsx';

const columns = (): readonly Column<Model>[] => [
  { name: t('Model'), width: '2fr', narrow: '2.4fr', cell: ({ id }) => id },
  { name: t('Kind'), width: '110px', cell: ({ kind }) => <Tag tone="plain">{kind}</Tag> },
  { name: t('Vendor'), width: '1fr', cell: ({ owned_by: vendor }) => vendor, extra: true },
  { name: t('Price'), width: '2fr', cell: (model) => priceLine(model), extra: true },
  {
    name: t('Served by'),
    width: '130px',
    cell: ({ simulated }) => (simulated ? <Tag tone="warn">{t('twin')}</Tag> : <Tag tone="ok">{t('vendor')}</Tag>),
  },
];

export default function Models() {
  const { key } = useRights();
  const [{ q, kind }, change] = useFilters();
  const [open, setOpen] = useState<Model>();
  const models = useModels(key !== null);
  if (key === null)
    return (
      <>
        <PageHead title={t('Models')} />
        <AddKey />
      </>
    );
  const found = (models.data ?? []).filter(
    (model) =>
      (kind === undefined || model.kind === kind) &&
      (q === undefined ||
        `${model.id} ${model.owned_by} ${model.description ?? ''}`.toLowerCase().includes(q.toLowerCase())),
  );
  return (
    <>
      <PageHead title={t('Models')} about={t('Models that your key may use, with their prices.')} />
      <FilterBar set={[q, kind].filter((each) => each !== undefined).length}>
        <SearchField label={t('Search')} value={q} onValue={(typed) => change({ q: typed })} />
        <Select
          label={t('Kind')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={[...new Set(models.data?.map((model) => model.kind))].sort()}
          value={kind ?? null}
          onChange={(chosen) => change({ kind: chosen ?? undefined })}
        />
      </FilterBar>
      {models.isError && <FaultBox error={models.error} onRetry={() => void models.refetch()} />}
      {models.data !== undefined && found.length === 0 && (
        <Empty title={t('No models found')}>{t('Nothing fits these filters; clear some of them.')}</Empty>
      )}
      {found.length > 0 && (
        <Rows label={t('Models')} columns={columns()} rows={found} rowKey={({ id }) => id} onOpen={setOpen} />
      )}
      <Side title={open?.id ?? ''} isOpen={open !== undefined} onClose={() => setOpen(undefined)}>
        {open !== undefined && <ModelDetail model={open} />}
      </Side>
    </>
  );
}

function ModelDetail({ model }: { model: Model }) {
  const { admin } = useRights();
  const place = placeOf(model.kind);
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
          ...named(model.limits),
        }}
      />
      {Object.keys(named(model.price)).length > 0 && <h3>{t('Prices')}</h3>}
      <Facts of={named(model.price)} />
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

function named(values: Readonly<Record<string, unknown>> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value),
    ]),
  );
}

function priceLine({ price = {} }: Model): string {
  return Object.entries(price)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .slice(0, 3)
    .map(([name, usd]) => `${name} ${formatUsd(usd)}`)
    .join(' · ');
}
