/** Saves an account and the models that were chosen for it, one row after the other. */
import { api, ask, type Schemas } from '../api/api.ts';
import { FaultError } from '../api/fault.ts';
import { choiceOf, offeringRow, withdrawnRow, type AccountModel } from './account-draft.ts';
import type { Choices } from './account-models.tsx';

type Row = Readonly<Record<string, unknown>>;

interface Saving {
  readonly name: string;
  /** Of the account that was shown, and then of the one that was saved: saving goes on where it was refused. */
  readonly version: { current: number };
  readonly value: Row;
  readonly models: readonly AccountModel[];
  readonly choices: Choices;
  readonly fallback: string;
  readonly unitsOf: (kind: string) => readonly string[];
}

/** The account comes first: models that name it are refused without it. What was saved before a refusal stays, and saving again goes on. */
export async function saveAccount({ name, version, value, models, choices, fallback, unitsOf }: Saving): Promise<void> {
  const { entry } = await put('accounts', name, value, version.current);
  version.current = entry?.version ?? version.current;
  for (const model of models) {
    const choice = choices.get(model.id) ?? choiceOf(model);
    if (choice.isOffered === model.offered) continue;
    const { value: present, kept } = await entryOf(model.code);
    const offered = { account: name, model, choice, units: unitsOf(choice.kind), fallback };
    const row = choice.isOffered ? offeringRow(offered, present, kept) : withdrawnRow(name, present, kept);
    await put('models', model.code, row);
  }
}

/** Without a row it is taken away. */
async function put(
  section: 'accounts' | 'models',
  name: string,
  row: Row | undefined,
  version?: number,
): Promise<Schemas['ConfigChangeResult']> {
  const params = { path: { section, name }, query: version === undefined ? {} : { version } };
  const body = row === undefined ? { removed: true } : { value: row };
  return ask(api.PUT('/admin/config/entries/{section}/{name}', { params, body }));
}

async function entryOf(code: string): Promise<{ readonly value: Row | null; readonly kept: Row | null }> {
  try {
    return await ask(
      api.GET('/admin/config/entries/{section}/{name}', { params: { path: { section: 'models', name: code } } }),
    );
  } catch (error) {
    if (error instanceof FaultError && error.fault.status === 404) return { value: null, kept: null };
    throw error;
  }
}
