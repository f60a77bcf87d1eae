/** What only an operator knows about a bill: which model an item is, and which account a project of the vendor is. */
import { Button, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/api.ts';
import { useCatalogue } from '../playground/models.ts';
import { t } from '../text/text.ts';
import { formatNumber, formatUsd } from '../ui/format.ts';
import type { BillProject } from './bill-file.ts';

/** Of more, only the largest are asked about. */
const SHOWN = 50;

type Named = Readonly<Record<string, string>>;

/** What an operator said about the bill: models of unknown items, and accounts of the vendor's projects. */
export interface Refinement {
  readonly models: Named;
  readonly projects: Named;
}

interface Refining {
  readonly said: Refinement;
  readonly onSaid: (said: Refinement) => void;
  readonly isBusy: boolean;
  readonly onAgain: () => void;
}

/** The same names with one of them given or taken away. */
function withName(names: Named, of: string, name: string | null): Named {
  const { [of]: _before, ...others } = names;
  return name === null ? others : { ...others, [of]: name };
}

export function UnknownItems({ items, said, onSaid, ...again }: Refining & { items: Schemas['BillCheck']['unknown'] }) {
  const models = useCatalogue();
  const codes = [...new Set(models.data?.map(({ id }) => id) ?? [])];
  return (
    <Asking
      title={t('Items of no known model ({count})', { count: formatNumber(items.length) })}
      about={t('They are not compared. Say which model an item is, and compare again.')}
      isSaid={Object.keys(said.models).length > 0}
      hidden={items.length - SHOWN}
      {...again}
    >
      {items.slice(0, SHOWN).map(({ item, usd, days }) => (
        <Select
          key={item}
          label={item}
          description={`${formatUsd(usd)} · ${days === 1 ? t('one day') : t('{count} days', { count: formatNumber(days) })}`}
          placeholder={t('Model')}
          searchable
          limit={100}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={codes}
          value={said.models[item] ?? null}
          onChange={(code) => onSaid({ ...said, models: withName(said.models, item, code) })}
        />
      ))}
    </Asking>
  );
}

interface ProjectsProps extends Refining {
  readonly projects: readonly BillProject[];
  readonly accounts: readonly string[];
}

export function ProjectAccounts({ projects, accounts, said, onSaid, ...again }: ProjectsProps) {
  return (
    <Asking
      title={t('Projects of the vendor ({count})', { count: formatNumber(projects.length) })}
      about={t(
        'Say which account each project is, and each account is compared separately. Projects without an account are not compared then.',
      )}
      isSaid={Object.keys(said.projects).length > 0}
      hidden={projects.length - SHOWN}
      {...again}
    >
      {projects.slice(0, SHOWN).map(({ project, usd }) => (
        <Select
          key={project}
          label={project === '' ? t('Without a project') : project}
          description={formatUsd(usd)}
          placeholder={t('Account')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={[...accounts]}
          value={said.projects[project] ?? null}
          onChange={(account) => onSaid({ ...said, projects: withName(said.projects, project, account) })}
        />
      ))}
    </Asking>
  );
}

interface AskingProps extends Pick<Refining, 'isBusy' | 'onAgain'> {
  readonly title: string;
  readonly about: string;
  readonly isSaid: boolean;
  /** How many are not asked about; not above zero where all are. */
  readonly hidden: number;
  readonly children: ReactNode;
}

function Asking({ title, about, isSaid, hidden, isBusy, onAgain, children }: AskingProps) {
  return (
    <section className="card stack row-form">
      <h2>{title}</h2>
      <p className="quiet small">{about}</p>
      <div className="fields">{children}</div>
      <div className="row">
        <p className="quiet small grow">
          {hidden > 0 &&
            t('{count} smaller ones are not shown. The command gateway bills check can name them.', {
              count: formatNumber(hidden),
            })}
        </p>
        <Button variant="default" disabled={!isSaid} loading={isBusy} onClick={onAgain}>
          {t('Compare again')}
        </Button>
      </div>
    </section>
  );
}
