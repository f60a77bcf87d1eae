/** What a model's row says of the way of its requests, as the configuration has it. */
export interface RouteMember {
  readonly model: string;
  readonly when?: Readonly<Record<string, unknown>>;
  readonly priority?: number;
  readonly weight?: number;
}

export interface Offer {
  readonly account: string;
  readonly model?: string;
  readonly priority?: number;
  readonly weight?: number;
}

export type FallbackCause = 'on_error' | 'on_context_too_long' | 'on_content_refusal';

export interface RouteRow {
  readonly strategy: string;
  readonly routes: readonly RouteMember[];
  readonly offers: readonly Offer[];
  readonly fallbacks: readonly { readonly cause: FallbackCause; readonly models: readonly string[] }[];
}

const CAUSES: readonly FallbackCause[] = ['on_error', 'on_context_too_long', 'on_content_refusal'];

/** Reads a row; what it does not have is empty, and without a strategy it is put in order by weights. */
export function routeRowOf(value: Readonly<Record<string, unknown>> | null): RouteRow {
  const { strategy, routes, offers, fallbacks } = (value ?? {}) as {
    readonly strategy?: string;
    readonly routes?: readonly RouteMember[];
    readonly offers?: readonly Offer[];
    readonly fallbacks?: Readonly<Partial<Record<FallbackCause, readonly string[]>>>;
  };
  return {
    strategy: strategy ?? 'weighted',
    routes: routes ?? [],
    offers: offers ?? [],
    fallbacks: CAUSES.map((cause) => ({ cause, models: fallbacks?.[cause] ?? [] })).filter(
      ({ models }) => models.length > 0,
    ),
  };
}

type Row = Readonly<Record<string, unknown>>;
/** What the form of a route changes of a row. */
const MEMBERS = ['strategy', 'routes', 'fallbacks'] as const;

/** The part of a row that the form changes. */
export const routePart = (row: Row | null): Row =>
  Object.fromEntries(MEMBERS.flatMap((name) => (row?.[name] === undefined ? [] : [[name, row[name]]])));

interface Layers {
  /** What the database has of the row. */
  readonly kept: Row | null;
  /** The row of the file, whose members show wherever the database says nothing. */
  readonly beneath: Row | null;
}

/** Whether the last step was taken away from a row whose steps the file says: no row can take those back. */
export const lacksSteps = ({ beneath }: Pick<Layers, 'beneath'>, part: Row): boolean =>
  beneath?.['routes'] !== undefined && part['routes'] === undefined;

/** What the database is to keep: of the route only what differs from the file, which else could change it no more. */
export function keptRow({ kept, beneath }: Layers, part: Row): Row {
  const row = Object.fromEntries(
    Object.entries(kept ?? {}).filter(([name]) => !(MEMBERS as readonly string[]).includes(name)),
  );
  for (const name of MEMBERS) {
    const value = part[name] ?? (beneath?.[name] === undefined ? undefined : NOTHING[name]);
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(beneath?.[name])) row[name] = value;
  }
  return row;
}

/** What stands in a row for a member of the file that is not to hold. */
const NOTHING: Row = { strategy: 'weighted', fallbacks: {} };

/** A condition as it is written, a line for each member: `groups: free`, `input_tokens: below 1000`, `tags: team=ads|search`. */
export function conditionLines(when: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return Object.entries(when).map(([name, wanted]) => `${name}: ${name === 'tags' ? tagText(wanted) : textOf(wanted)}`);
}

function textOf(wanted: unknown): string {
  if (Array.isArray(wanted)) return wanted.join(', ');
  if (typeof wanted !== 'object' || wanted === null) return String(wanted);
  return Object.entries(wanted)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ');
}

function tagText(wanted: unknown): string {
  return Object.entries(wanted as Readonly<Record<string, readonly string[]>>)
    .map(([name, values]) => `${name}=${values.join('|')}`)
    .join(', ');
}
