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
