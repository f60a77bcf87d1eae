/** Every page and command by typing; the id of a request or a task goes straight to it. */
import { Modal, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useOpenPage } from '../ui/page-link.tsx';
import { useEffect, useState } from 'react';
import { api, ask } from '../api/api.ts';
import { signOut, useRights } from '../api/session.ts';
import { useVisibleModels } from '../playground/models.ts';
import { chooseLanguage, currentLanguage, t } from '../text/text.ts';
import { ownersAndKeys } from '../ui/names.tsx';
import type { PageEntry } from './navigation.ts';

const TYPING_MS = 200;
const SHORTEST_NAME = 2;
const MOST_NAMED = 5;
const FRESH_MS = 30_000;

interface Command {
  readonly name: string;
  readonly about: string;
  readonly run: () => void;
}

export default function Palette({ pages, onClose }: { pages: readonly PageEntry[]; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands(pages);
  const byName = useNamed(typed, commands.open);
  const found = [
    ...idCommands(typed, commands.open),
    ...commands.all.filter(({ name }) => matches(name, typed)),
    ...byName,
  ];
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  useEffect(() => {
    document.getElementById(`command-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size={620}
      yOffset="9vh"
      padding={0}
      radius="lg"
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': t('Search') } }}
    >
      <input
        className="palette-input"
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found.length > 0 ? `command-${chosen}` : undefined}
        aria-label={t('Search pages and commands')}
        placeholder={t('A page, a command, a name, the id of a request')}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            const step = event.key === 'ArrowDown' ? 1 : -1;
            setAt((chosen + step + found.length) % Math.max(1, found.length));
          } else if (event.key === 'Enter') {
            event.preventDefault();
            run(found[chosen]);
          }
        }}
      />
      <div className="palette-list" id="commands" role="listbox" aria-label={t('Results')}>
        {found.map((command, index) => (
          <div
            key={`${command.about} ${command.name} ${index}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            <b>{command.name}</b>
            <small>{command.about}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="quiet palette-none">{t('Nothing is called that.')}</p>}
    </Modal>
  );
}

function useCommands(pages: readonly PageEntry[]): {
  all: readonly Command[];
  open: (path: string, search?: Readonly<Record<string, string>>) => void;
} {
  const openPage = useOpenPage();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const open = (path: string, search: Readonly<Record<string, string>> = {}): void => openPage({ to: path, search });
  const all = [
    ...pages.map(({ title, path, group }) => ({ name: t(title), about: t(group), run: () => open(path) })),
    {
      name: t('Switch between light and dark'),
      about: t('Command'),
      run: () => setColorScheme(scheme === 'dark' ? 'light' : 'dark'),
    },
    {
      name: currentLanguage() === 'zh' ? 'English' : '简体中文',
      about: t('Language'),
      run: () => void chooseLanguage(currentLanguage() === 'zh' ? 'en' : 'zh'),
    },
    { name: t('Docs'), about: t('Command'), run: () => window.location.assign('/docs') },
    { name: t('Sign out'), about: t('Command'), run: () => void signOut() },
  ];
  return { all, open };
}

/** What there is of this name: models that the key may use; for operators owners, keys and accounts, too. */
function useNamed(
  typed: string,
  open: (path: string, search?: Readonly<Record<string, string>>) => void,
): readonly Command[] {
  const { admin } = useRights();
  const [name] = useDebouncedValue(typed.trim(), TYPING_MS);
  const isNamed = name.length >= SHORTEST_NAME;
  const models = useVisibleModels(isNamed);
  const owned = useQuery({
    queryKey: ['named', name],
    enabled: admin && isNamed,
    staleTime: FRESH_MS,
    queryFn: async () => {
      const asked = { name, limit: MOST_NAMED };
      const [owners, keys] = await Promise.all([ownersAndKeys.owner.list(asked), ownersAndKeys.key.list(asked)]);
      return { owners, keys };
    },
  });
  const listed = useQuery({
    queryKey: ['account-list'],
    enabled: admin && isNamed,
    staleTime: FRESH_MS,
    queryFn: () => ask(api.GET('/admin/accounts')),
  });
  if (!isNamed) return [];
  const isIn = (text: string): boolean => text.toLowerCase().includes(name.toLowerCase());
  const { owners = [], keys = [] } = owned.data ?? {};
  const accounts = listed.data?.data ?? [];
  const some = <T,>(of: readonly T[], nameOf: (each: T) => string): readonly T[] =>
    of.filter((each) => isIn(nameOf(each))).slice(0, MOST_NAMED);
  return [
    ...owners.map((each) => ({
      name: each.name,
      about: t('Owner'),
      run: () => open('/owners', { id: String(each.id) }),
    })),
    ...keys.map((each) => ({ name: each.name, about: t('Key'), run: () => open('/keys', { id: String(each.id) }) })),
    ...some(models.data ?? [], ({ id }) => id).map(({ id }) => ({
      name: id,
      about: t('Model'),
      run: () => open('/models', { q: id }),
    })),
    ...some(accounts, (each) => each.name).map((each) => ({
      name: each.name,
      about: t('Account'),
      run: () => open('/accounts'),
    })),
  ];
}

function idCommands(typed: string, open: (path: string) => void): readonly Command[] {
  const id = typed.trim();
  if (/^req_\w+$/.test(id)) return [{ name: id, about: t('Open the request'), run: () => open(`/requests/${id}`) }];
  return [];
}

/** All letters, in their order: `own` finds `Owners`, `plg` finds `Playground`. */
function matches(name: string, typed: string): boolean {
  let from = 0;
  const lower = name.toLowerCase();
  for (const letter of typed.toLowerCase().trim()) {
    const found = lower.indexOf(letter, from);
    if (found === -1) return false;
    from = found + 1;
  }
  return true;
}
