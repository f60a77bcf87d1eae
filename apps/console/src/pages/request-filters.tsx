/** Which requests the log shows: all of it stands in the address, which can be shared, and can be kept under a name. */
import { ActionIcon, Button, Menu, Modal, SegmentedControl, Select, TextInput } from '@mantine/core';
import { MODEL_KINDS } from '@model-gateway/contracts';
import { useState } from 'react';
import { identity, useRights } from '../api/session.ts';
import { storageOf } from '../playground/history.ts';
import { t } from '../text/text.ts';
import { formatTime } from '../ui/format.ts';
import { KeyFilter, NameFilter } from '../ui/names.tsx';
import type { Filters } from '../ui/page-link.tsx';
import { FilterBar } from '../ui/parts.tsx';
import { SearchField, TimeField } from '../ui/search-field.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface FilterProps {
  readonly filters: Filters;
  readonly change: (changed: Filters) => void;
}

export function RequestFilters({ filters, change }: FilterProps) {
  const { admin } = useRights();
  const count = Object.keys(filters).length;
  return (
    <>
      {admin && (
        <SegmentedControl
          className="modes"
          aria-label={t('Kind of keys')}
          value={filters['mode'] ?? ''}
          onChange={(mode) => change({ mode: mode === '' ? undefined : mode })}
          data={[
            { value: '', label: t('Live and test') },
            { value: 'live', label: t('Live keys') },
            { value: 'test', label: t('Test keys') },
          ]}
        />
      )}
      <FilterBar set={count}>
        <SearchField label={t('Model')} value={filters['model']} onValue={(model) => change({ model })} />
        <Select
          label={t('Kind')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={MODEL_KINDS}
          value={filters['kind'] ?? null}
          onChange={(kind) => change({ kind: kind ?? undefined })}
        />
        <Select
          label={t('Outcome')}
          clearable
          clearButtonProps={{ 'aria-label': t('Clear') }}
          data={[
            { value: '2xx', label: t('Answered') },
            { value: '4xx', label: t('Refused (4xx)') },
            { value: '5xx', label: t('Failed (5xx)') },
          ]}
          value={filters['status'] ?? null}
          onChange={(status) => change({ status: status ?? undefined })}
        />
        <SearchField label={t('Error code')} value={filters['error']} onValue={(error) => change({ error })} />
        <SearchField
          label={t('Tag')}
          placeholder="team=search"
          value={filters['tag']}
          onValue={(tag) => change({ tag })}
        />
        <SearchField label={t('User')} value={filters['user']} onValue={(user) => change({ user })} />
        <SearchField label={t('Session')} value={filters['session']} onValue={(session) => change({ session })} />
        <SearchField label={t('Run')} value={filters['run']} onValue={(run) => change({ run })} />
        <KeyFilter value={filters['key_id']} onValue={(key_id) => change({ key_id })} />
        {admin && <NameFilter of="owner" value={filters['owner_id']} onValue={(owner_id) => change({ owner_id })} />}
        <TimeField label={t('From')} value={filters['from']} onValue={(from) => change({ from })} />
        <TimeField label={t('To')} value={filters['to']} onValue={(to) => change({ to })} />
        <JumpTo change={change} />
        <SavedFilters filters={filters} change={change} />
        {count > 0 && (
          <Button className="fixed" variant="default" onClick={() => change(without(filters))}>
            {t('Clear the filters')}
          </Button>
        )}
      </FilterBar>
      {filters['to'] !== undefined && (
        <p className="row small">
          <span>{t('The list begins at {time}.', { time: formatTime(filters['to']) })}</span>
          <Button size="compact-xs" variant="default" onClick={() => change({ to: undefined })}>
            {t('Back to the newest')}
          </Button>
        </p>
      )}
    </>
  );
}

/** All of them taken away. */
const without = (filters: Filters): Filters =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));

/** The list is newest first: it begins at the moment that somebody looks for. */
function JumpTo({ change }: Pick<FilterProps, 'change'>) {
  const to = (ago: number): void => change({ to: new Date(Date.now() - ago).toISOString(), from: undefined });
  return (
    <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button className="fixed" variant="default">
          {t('Jump to a time')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => to(HOUR_MS)}>{t('An hour ago')}</Menu.Item>
        <Menu.Item onClick={() => to(6 * HOUR_MS)}>{t('Six hours ago')}</Menu.Item>
        <Menu.Item onClick={() => to(DAY_MS)}>{t('A day ago')}</Menu.Item>
        <Menu.Item onClick={() => to(7 * DAY_MS)}>{t('A week ago')}</Menu.Item>
        <Menu.Label>{t('Any other moment: the field To')}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

const STORED = 'requests.filters';
/** Those of each person apart; without a name or a key of theirs those of whoever signs in so. */
const storedFilters = (): string => storageOf(identity.get(), STORED) ?? STORED;
type Saved = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Filters under names of one's own, in this browser. To give them to somebody else, send the address. */
function SavedFilters({ filters, change }: FilterProps) {
  const [saved, keep] = useSaved();
  /** The name that is typed while the dialog is open. */
  const [name, setName] = useState<string>();
  const names = Object.keys(saved).sort((a, b) => a.localeCompare(b));
  return (
    <>
      <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button className="fixed" variant="default">
            {t('Saved filters')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {names.map((each) => (
            <Menu.Item
              key={each}
              onClick={() => change({ ...without(filters), ...saved[each] })}
              rightSection={
                <ActionIcon
                  component="span"
                  role="button"
                  size="xs"
                  variant="subtle"
                  color="gray"
                  aria-label={t('Remove {name}', { name: each })}
                  onClick={(event) => {
                    event.stopPropagation();
                    const { [each]: _gone, ...others } = saved;
                    keep(others);
                  }}
                >
                  ×
                </ActionIcon>
              }
            >
              {each}
            </Menu.Item>
          ))}
          {names.length > 0 && <Menu.Divider />}
          <Menu.Item disabled={Object.keys(filters).length === 0} onClick={() => setName('')}>
            {t('Save these filters…')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <NameDialog
        name={name}
        onName={setName}
        onSave={(chosen) => {
          keep({ ...saved, [chosen]: definedIn(filters) });
          setName(undefined);
        }}
      />
    </>
  );
}

/** What is saved, and how something else takes its place. */
function useSaved(): [Saved, (next: Saved) => void] {
  const [saved, setSaved] = useState(readSaved);
  const keep = (next: Saved): void => {
    setSaved(next);
    try {
      localStorage.setItem(storedFilters(), JSON.stringify(next));
    } catch {
      // No storage: they last as long as the page.
    }
  };
  return [saved, keep];
}

interface NameDialogProps {
  /** As it is typed; undefined while the dialog is closed. */
  readonly name: string | undefined;
  readonly onName: (name: string | undefined) => void;
  readonly onSave: (name: string) => void;
}

function NameDialog({ name, onName, onSave }: NameDialogProps) {
  const typed = name ?? '';
  return (
    <Modal
      opened={name !== undefined}
      onClose={() => onName(undefined)}
      title={t('Save these filters')}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSave(typed.trim());
        }}
      >
        <TextInput
          label={t('Name')}
          description={t('They are kept in this browser. To share them, send the address of the page.')}
          data-autofocus
          maxLength={60}
          value={typed}
          onChange={({ currentTarget }) => onName(currentTarget.value)}
        />
        <div className="row">
          <span className="grow" />
          <Button type="submit" disabled={typed.trim() === ''}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function definedIn(filters: Filters): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function readSaved(): Saved {
  try {
    const read = JSON.parse(localStorage.getItem(storedFilters()) ?? '{}') as unknown;
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Saved) : {};
  } catch {
    return {};
  }
}
