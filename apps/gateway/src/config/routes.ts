/** What rows say of the way of their requests: what contradicts itself or leads nowhere, and what becomes of the rest in the catalogue. */
import {
  DEEPEST_ROUTE,
  FALLBACK_CAUSES,
  kindOf,
  type Affinity,
  type Condition,
  type Hedge,
  type Retries,
  type Route,
  type RouteTarget,
  type TimeWindow,
} from '@model-gateway/core';
import type { ConfigFault, Path } from './fault.ts';
import type { Placed } from './layers.ts';
import { didYouMean } from './nearest.ts';
import type { WhenRow } from './route-schema.ts';
import type { ConfigFile, ModelFileRow } from './schema.ts';
import type { PlacedFault } from './source.ts';
import { standsForAnything } from './wildcards.ts';

/** The route of a row; undefined for one that says nothing of it. `offers` counts those of every key. */
export function routeOf(row: ModelFileRow, offers = row.offers.length): Route | undefined {
  const { routes, fallbacks, strategy, retries, hedge, on_break: onBreak } = row;
  const affinity = affinityOf(row, offers);
  const { first_token: firstTokenSeconds, total: totalSeconds } = row.timeout_seconds ?? {};
  const all = [routes, fallbacks, strategy, affinity, retries, hedge, onBreak, firstTokenSeconds, totalSeconds];
  if (all.every((member) => member === undefined)) return undefined;
  return {
    targets: (routes ?? []).map(({ model, when, priority = 1, weight = 1 }): RouteTarget => {
      const condition = when === undefined ? {} : conditionOf(when);
      const isFree = Object.keys(condition).length === 0;
      return { model, priority, weight, ...(!isFree && { when: condition }) };
    }),
    strategy: strategy ?? 'weighted',
    ...(affinity !== undefined && { affinity }),
    fallbacks: {
      ...(fallbacks?.on_error !== undefined && { on_error: fallbacks.on_error }),
      ...(fallbacks?.on_context_too_long !== undefined && { on_context_too_long: fallbacks.on_context_too_long }),
      ...(fallbacks?.on_content_refusal !== undefined && { on_content_refusal: fallbacks.on_content_refusal }),
    },
    ...(retries !== undefined && { retries: retriesOf(retries) }),
    ...(hedge !== undefined && { hedge: hedgeOf(hedge) }),
    ...(onBreak === 'continue' && { continuesBroken: true }),
    ...(firstTokenSeconds !== undefined && { firstTokenSeconds }),
    ...(totalSeconds !== undefined && { totalSeconds }),
  };
}

/** Vendors read what they keep for one account at a fraction of the price: where that is so, conversations stay with theirs. */
function affinityOf(
  { kind, affinity, strategy = 'weighted', price }: ModelFileRow,
  offers: number,
): Affinity | undefined {
  if (affinity === 'none') return undefined;
  if (affinity !== undefined) return affinity;
  const isUsual = kind === 'chat' && strategy === 'weighted' && offers > 1 && price?.cached_input !== undefined;
  return isUsual ? 'prefix' : undefined;
}

const USUAL_BUDGET = 0.1;

function retriesOf({ attempts, on, budget = USUAL_BUDGET }: NonNullable<ModelFileRow['retries']>): Retries {
  return { budget, ...(attempts !== undefined && { attempts }), ...(on !== undefined && { on }) };
}

const USUAL_PERCENTILE = 95;

function hedgeOf({ percentile = USUAL_PERCENTILE, budget = USUAL_BUDGET }: NonNullable<ModelFileRow['hedge']>): Hedge {
  return { quantile: percentile / 100, budget };
}

function conditionOf({ keys, groups, tags, inputs, input_tokens: tokens, regions, time }: WhenRow): Condition {
  return {
    ...(keys !== undefined && { keys }),
    ...(groups !== undefined && { groups }),
    ...(tags !== undefined && { tags }),
    ...(inputs !== undefined && { inputs }),
    ...(tokens !== undefined && {
      inputTokens: {
        ...(tokens.from !== undefined && { from: tokens.from }),
        ...(tokens.below !== undefined && { below: tokens.below }),
      },
    }),
    ...(regions !== undefined && { regions }),
    ...(time !== undefined && { time: windowOf(time) }),
  };
}

function windowOf({ from, until, days, zone = 'UTC' }: NonNullable<WhenRow['time']>): TimeWindow {
  const hasHours = from !== undefined || until !== undefined;
  return {
    ...(hasHours && { minutes: [minutesOf(from ?? '00:00'), minutesOf(until ?? '00:00')] as const }),
    ...(days !== undefined && { days }),
    zone,
  };
}

function minutesOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
}

/** What routes are checked against. */
export interface RouteSurroundings {
  readonly models: readonly Placed<ModelFileRow>[];
  /** The file, for what it says beside rows; the built-in catalogue has none of it. */
  readonly file: Pick<ConfigFile, 'groups' | 'server' | 'default_model'>;
}

/** Everything that is wrong with the routes of a configuration. */
export function routeFaults({ models, file }: RouteSurroundings): readonly PlacedFault[] {
  const known = namesOf(models);
  const cycles = cyclesIn(models, known);
  return models.flatMap((placed) => {
    const { path, row, source } = placed;
    const faults = [...formFaults(path, row), ...targetFaults(path, row, known), ...conditionFaults(path, row, file)];
    return [...faults, ...(cycles.get(row.code) ?? []).map((each) => ({ ...each, path: [...path, ...each.path] }))].map(
      (fault) => ({ ...fault, source }),
    );
  });
}

/** What is wrong with the default for unknown codes. */
export function defaultModelFaults({ models, file }: RouteSurroundings): readonly ConfigFault[] {
  const { default_model: code } = file;
  if (typeof code !== 'string') return [];
  const known = namesOf(models);
  const fault = wrongModel(code, known, 'chat', 'unknown names stand for a chat model');
  return fault === undefined ? [] : [{ path: ['default_model'], message: fault }];
}

type Known = ReadonlyMap<string, ModelFileRow>;

/** Rows by their codes and aliases. */
function namesOf(models: readonly Placed<ModelFileRow>[]): Known {
  return new Map(
    models.flatMap(({ row }) => [row.code, ...(row.aliases ?? [])].map((name): [string, ModelFileRow] => [name, row])),
  );
}

function rowNamed(name: string, known: Known): ModelFileRow | undefined {
  const own = known.get(name);
  if (own !== undefined) return own;
  const wild = [...known.values()].filter(({ code }) => standsForAnything(code, name));
  return wild.sort((left, right) => right.code.length - left.code.length)[0];
}

/** Why nothing of this kind can be routed to this name. */
function wrongModel(name: string, known: Known, kind: ModelFileRow['kind'], wanted: string): string | undefined {
  if (name.includes('*')) return 'a route leads to one model: write what the * stands for';
  const row = rowNamed(name, known);
  if (row === undefined) return `there is no model '${name}'${didYouMean(name, known.keys())}`;
  return kindOf(row).name === kindOf({ kind }).name ? undefined : `'${name}' is of kind ${row.kind}; ${wanted}`;
}

function formFaults(path: Path, row: ModelFileRow): readonly ConfigFault[] {
  const { routes, fallbacks, strategy, offers, price, kind } = row;
  const faults: ConfigFault[] = [];
  if (kind !== 'chat') {
    const message = `only requests to chat models have these deadlines; this one is of kind ${kind}`;
    for (const member of ['first_token', 'total'] as const)
      if (row.timeout_seconds?.[member] !== undefined)
        faults.push({ path: [...path, 'timeout_seconds', member], message });
  }
  if (row.cache !== undefined && kindOf({ kind }).keepsAnswers !== true) {
    const message = `only answers of chat and embedding models are kept; this one is of kind ${kind}`;
    faults.push({ path: [...path, 'cache'], message });
  }
  if (row.on_break !== undefined && kind !== 'chat')
    faults.push({
      path: [...path, 'on_break'],
      message: `only streams of chat models are continued; this one is of kind ${kind}`,
    });
  if (row.hedge !== undefined && kind !== 'chat') {
    const message = `only chat models hedge, for what else is made is billed whole; this one is of kind ${kind}`;
    faults.push({ path: [...path, 'hedge'], message });
  }
  const isAlone = routes === undefined && fallbacks?.on_error === undefined && offers.length < 2;
  if (row.hedge !== undefined && isAlone) {
    const message = 'there is nobody to ask beside its one offer; give it another, or routes';
    faults.push({ path: [...path, 'hedge'], message });
  }
  if (row.on_break === 'continue' && kind === 'chat' && isAlone) {
    const message = 'there is nobody to go on for its one offer; give it another, routes, or fallbacks';
    faults.push({ path: [...path, 'on_break'], message });
  }
  if (row.affinity !== undefined && kind !== 'chat') {
    const message = `only vendors of chat models keep prefixes; this one is of kind ${kind}`;
    faults.push({ path: [...path, 'affinity'], message });
  } else if (row.affinity === 'prefix' && strategy !== undefined && strategy !== 'weighted') {
    const message = `affinity goes by the weights, and strategy: ${strategy} does not; leave out one of the two`;
    faults.push({ path: [...path, 'affinity'], message });
  }
  if (row.prompt_cache !== undefined && kind !== 'chat') {
    const message = `only vendors of chat models keep prompts; this one is of kind ${kind}`;
    faults.push({ path: [...path, 'prompt_cache'], message });
  }
  if (strategy === 'lowest_latency' && !kindOf({ kind }).answersAtOnce) {
    const message = `lowest_latency goes by the time to an answer, and a model of kind ${kind} answers with a task`;
    faults.push({ path: [...path, 'strategy'], message });
  }
  if (strategy === 'cheapest' && routes === undefined) {
    const message = 'cheapest compares models: the offers of one row have one price; name the models in routes';
    faults.push({ path: [...path, 'strategy'], message });
  }
  if (routes !== undefined && offers.length === 0 && price !== undefined) {
    faults.push({
      path: [...path, 'price'],
      message: 'a row without offers has no price: the model that answers is billed',
    });
  }
  if (routes !== undefined && offers.length === 0) faults.push(...idleFaults(path, row));
  const isClosed = routes?.every(({ when }) => when !== undefined && Object.keys(when).length > 0) === true;
  if (isClosed && offers.length === 0) {
    const message = 'requests that fit none of these conditions have nowhere to go; add a route without when';
    faults.push({ path: [...path, 'routes'], message });
  }
  for (const cause of FALLBACK_CAUSES) {
    for (const [index, code] of (fallbacks?.[cause] ?? []).entries()) {
      const message =
        code === row.code || row.aliases?.includes(code) === true
          ? `'${code}' is this row itself`
          : fallbacks?.[cause]?.indexOf(code) === index
            ? undefined
            : `'${code}' is there twice`;
      if (message !== undefined) faults.push({ path: [...path, 'fallbacks', cause, index], message });
    }
  }
  return faults;
}

/** What is said of calls to vendors by a row that makes none. */
function idleFaults(path: Path, row: ModelFileRow): readonly ConfigFault[] {
  const message = 'a row without offers asks nobody itself; write it at the models that it leads to';
  const { connect, first_byte: firstByte, idle } = row.timeout_seconds ?? {};
  const idleMembers: readonly (readonly [Path, unknown])[] = [
    [['headers'], row.headers],
    [['body_fields'], row.body_fields],
    [['timeout_seconds', 'connect'], connect],
    [['timeout_seconds', 'first_byte'], firstByte],
    [['timeout_seconds', 'idle'], idle],
  ];
  return idleMembers.flatMap(([place, value]) => (value === undefined ? [] : [{ path: [...path, ...place], message }]));
}

function targetFaults(
  path: Path,
  { kind, routes = [], fallbacks }: ModelFileRow,
  known: Known,
): readonly ConfigFault[] {
  const named: readonly (readonly [Path, string])[] = [
    ...routes.map(({ model }, index) => [[...path, 'routes', index, 'model'], model] as const),
    ...FALLBACK_CAUSES.flatMap((cause) =>
      (fallbacks?.[cause] ?? []).map((code, index) => [[...path, 'fallbacks', cause, index], code] as const),
    ),
  ];
  return named.flatMap(([place, code]) => {
    const message = wrongModel(code, known, kind, `this row is of kind ${kind}, which it leads to alone`);
    return message === undefined ? [] : [{ path: place, message }];
  });
}

/** Conditions that no request can meet. */
function conditionFaults(
  path: Path,
  { kind, routes = [] }: ModelFileRow,
  { groups, server }: RouteSurroundings['file'],
): readonly ConfigFault[] {
  const knownGroups = ['default', ...Object.keys(groups ?? {})];
  return routes.flatMap(({ when }, index): ConfigFault[] => {
    if (when === undefined) return [];
    const at = (...members: Path): Path => [...path, 'routes', index, 'when', ...members];
    const { input_tokens: tokens, time, regions } = when;
    const faults: ConfigFault[] = [];
    if (groups !== undefined) {
      for (const [place, group] of (when.groups ?? []).entries()) {
        if (knownGroups.includes(group)) continue;
        const message = `there is no group '${group}'${didYouMean(group, knownGroups)}`;
        faults.push({ path: at('groups', place), message });
      }
    }
    const { inputs, called } = kindOf({ kind });
    for (const [place, input] of (when.inputs ?? []).entries()) {
      if (inputs.includes(input)) continue;
      const message = `no request for ${called} brings ${input}${inputs.length === 0 ? '' : `; there are ${inputs.join(', ')}`}`;
      faults.push({ path: at('inputs', place), message });
    }
    if (tokens?.from !== undefined && tokens.below !== undefined && tokens.from >= tokens.below) {
      const message = `no input has ${tokens.from} tokens or more and less than ${tokens.below}`;
      faults.push({ path: at('input_tokens'), message });
    }
    if (time?.from !== undefined && time.from === time.until)
      faults.push({ path: at('time'), message: 'it begins when it ends; leave from and until out for the whole day' });
    if (regions !== undefined && server?.region === undefined)
      faults.push({ path: at('regions'), message: 'server.region is not set, so no request has a region' });
    return faults;
  });
}

/** Routes that lead back to where they came from, or through too many rows, by the code of the row that has them. */
function cyclesIn(models: readonly Placed<ModelFileRow>[], known: Known): ReadonlyMap<string, readonly ConfigFault[]> {
  const depths = new Map<string, number>();
  return new Map(
    models.map(({ row: { code, routes = [] } }) => [
      code,
      routes.flatMap(({ model }, index): ConfigFault[] => {
        const path = ['routes', index, 'model'];
        const way = wayBack(model, [code], known, new Set());
        if (way !== undefined) return [{ path, message: `it leads back to '${code}': ${way.join(' → ')}` }];
        if (depthOf(model, known, depths) < DEEPEST_ROUTE) return [];
        return [{ path, message: `it leads through more than ${DEEPEST_ROUTE} rows; name a model further on` }];
      }),
    ]),
  );
}

/** The codes from the first of the way back to it. */
function wayBack(name: string, way: readonly string[], known: Known, seen: Set<string>): readonly string[] | undefined {
  const row = rowNamed(name, known);
  if (row === undefined || seen.has(row.code)) return undefined;
  seen.add(row.code);
  const next = [...way, row.code];
  if (row.code === way[0]) return next;
  for (const { model } of row.routes ?? []) {
    const found = wayBack(model, next, known, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How many rows with routes a route leads through; circles count once. */
function depthOf(name: string, known: Known, depths: Map<string, number>): number {
  const row = rowNamed(name, known);
  if (row?.routes === undefined) return 0;
  const met = depths.get(row.code);
  if (met !== undefined) return met;
  depths.set(row.code, 0);
  const depth = 1 + Math.max(0, ...row.routes.map(({ model }) => depthOf(model, known, depths)));
  depths.set(row.code, depth);
  return depth;
}
