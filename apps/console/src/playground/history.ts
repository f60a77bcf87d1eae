/**
 * The last runs of the playground, in this browser: those of each person apart, so many and so long at most, without files, pictures, sounds
 * and what looks like a key.
 */
import { signal } from '../api/signal.ts';
import type { Identity } from '../api/session.ts';

export interface Run {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of its kind in the playground. */
  readonly kind: string;
  readonly model: string;
  /** The beginning of what was asked. */
  readonly title: string;
  /** What the forms held, and what came of it. */
  readonly values: Readonly<Record<string, unknown>>;
}

export const MOST_RUNS = 50;
const MOST_RUN_CHARACTERS = 32_000;
const MOST_CHARACTERS = 400_000;
const TITLE_CHARACTERS = 120;
/** Every form keeps its fields under names; these lead to others' systems and may carry what signs there: pictures are at signed addresses. */
const UNKEPT = new Set(['callback_url', 'image.made', 'edit.made']);

/** Counts changes, for who shows the list. */
export const historyChanges = signal(0);

/** Under which name the runs of whoever is signed in are stored, or something else of theirs; undefined where nobody runs anything. */
export function storageOf(who: Identity | null | undefined, what = 'playground.runs'): string | undefined {
  const person = who?.session?.signed_in_as ?? undefined;
  if (person !== undefined) return `${what}.person.${person}`;
  return who?.key === null || who?.key === undefined ? undefined : `${what}.key.${who.key.id}`;
}

/** A browser has no random ids on pages without TLS. */
export const newRunId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;

/** The newest first. */
export function readRuns(storage: string | undefined): readonly Run[] {
  if (storage === undefined) return [];
  try {
    const read: unknown = JSON.parse(localStorage.getItem(storage) ?? '[]');
    return Array.isArray(read) ? read.filter(isRun) : [];
  } catch {
    return [];
  }
}

/** Adds a run, or writes anew what has become of it. */
export function addRun(storage: string | undefined, run: Omit<Run, 'at'>): void {
  if (storage === undefined) return;
  const values = storable(run.values) as Run['values'];
  const added: Run = {
    ...run,
    at: Date.now(),
    title: withoutKeys(run.title).slice(0, TITLE_CHARACTERS),
    values: JSON.stringify(values).length > MOST_RUN_CHARACTERS ? {} : values,
  };
  write(storage, [added, ...readRuns(storage).filter(({ id }) => id !== run.id)]);
}

export function removeRun(storage: string | undefined, id: string): void {
  if (storage !== undefined)
    write(
      storage,
      readRuns(storage).filter((run) => run.id !== id),
    );
}

export function clearRuns(storage: string | undefined): void {
  if (storage !== undefined) write(storage, []);
}

/** As many of the newest as there is room for. */
function write(storage: string, runs: readonly Run[]): void {
  let fitting = runs.slice(0, MOST_RUNS);
  while (fitting.length > 0 && JSON.stringify(fitting).length > MOST_CHARACTERS) fitting = fitting.slice(0, -1);
  try {
    if (fitting.length === 0) localStorage.removeItem(storage);
    else localStorage.setItem(storage, JSON.stringify(fitting));
  } catch {
    // No storage, or no room in it: the runs of this page are gone with it.
  }
  historyChanges.set(historyChanges.get() + 1);
}

/** A value as it may be stored: what names a file, a picture or a sound of this page is left out, with whatever it is the `url` of. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return isMedium(value) ? undefined : withoutKeys(value);
  if (Array.isArray(value)) return value.map(storable).filter((each) => each !== undefined);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (value instanceof Blob) return undefined;
  if ('url' in value && typeof value.url === 'string' && isMedium(value.url)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !UNKEPT.has(name))
      .map(([name, each]) => [name, storable(each)])
      .filter(([, each]) => each !== undefined),
  );
}

const isMedium = (text: string): boolean => /^(data|blob):/.test(text);
/** Keys of this gateway and of vendors begin like this; so long that no word is taken for one. */
const KEYS =
  /\b(?:(sk-)[\w-]{8,}|(admin-|gsk_|hf_|gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-|[prs]k_(?:live|test)_)[\w-]{16,}|(whsec_)[\w+/=-]{16,}|(AIza)[\w-]{30,}|(A[KS]IA)[0-9A-Z]{16}|(eyJ)[\w-]{10,}\.eyJ[\w.-]{10,})/g;
const withoutKeys = (text: string): string => text.replaceAll(KEYS, '$1$2$3$4$5$6…');

function isRun(value: unknown): value is Run {
  if (typeof value !== 'object' || value === null) return false;
  const { id, at, kind, model, title, values } = value as Readonly<Record<string, unknown>>;
  return (
    [id, kind, model, title].every((each) => typeof each === 'string') &&
    typeof at === 'number' &&
    typeof values === 'object' &&
    values !== null
  );
}
