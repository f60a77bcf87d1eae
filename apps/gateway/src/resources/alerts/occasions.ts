/** What is worth an alert, and its words. Pure: budgets and the time in, occasions out. */
import type { components, JsonObject } from '@model-gateway/contracts';
import { accountIdOf, dollarsOf, type GatewayAccount } from '@model-gateway/core';
import { count, dollars, plainText } from '../../commands/output.ts';
import { MOST_SUBJECTS } from '../budgets/routes.ts';
import { dayOf, timeOf } from '../values.ts';

type Budget = components['schemas']['Budget'];

/** Something to tell, once. */
export interface Occasion {
  readonly type: components['schemas']['AlertType'];
  /** Names that begin with `OPEN` end when the budget is well again; the others end with their window. */
  readonly name: string;
  readonly implied: readonly string[];
  readonly text: string;
  readonly data: JsonObject;
}

/** Before the names of what has no window: a balance, a credit, a total. */
export const OPEN = 'open ';

const DAY_MS = 86_400_000;
/** A pace is known after this share of a window. */
const LEAST_ELAPSED = 0.1;
/** A budget that ends in the last part of its window is as good as planned. */
const LATEST_END = 0.95;
/** A balance that lasts less than this is told of; one that lasts longer than the second is well again. */
const SHORT_DAYS = 3;
const WELL_DAYS = 6;
/** Below a threshold by this much, a budget without a window is well again. */
const MARGIN = 0.05;

export interface OccasionSettings {
  readonly at: readonly number[];
  readonly forecast: boolean;
}

/** The occasions of one budget: at most one, the most urgent. */
export function budgetOccasions(budget: Budget, settings: OccasionSettings, now: number): readonly Occasion[] {
  const { forecast } = settings;
  const at = thresholdsOf(budget, settings.at);
  // They fill up and empty within a minute, as they are meant to.
  if (budget.bound.endsWith('_per_minute')) return [];
  const share = budget.share ?? 0;
  const reached = at.filter((each) => share >= each);
  const names = at.map((each) => nameOf(budget, each));
  // Without a window there is no forecast.
  if (budget.resets_at !== null) names.push(nameOf(budget, 'forecast'));
  const threshold = reached.at(-1);
  const end = forecast ? endOf(budget, now) : undefined;
  if (threshold !== undefined) {
    const name = nameOf(budget, threshold);
    const above = new Set(at.filter((each) => each > threshold).map((each) => nameOf(budget, each)));
    const implied = names.filter((each) => each !== name && !above.has(each));
    const then = share < 1 ? endSentence(budget, end) : actionSentence(budget);
    const text = [usedSentence(budget), ...then, ...resetSentence(budget)].join(' ');
    return [
      { type: 'budget.threshold', name, implied, text, data: dataOf(budget, { threshold, used_up_at: timeAt(end) }) },
    ];
  }
  if (end === undefined) return [];
  const text = [usedSentence(budget), ...endSentence(budget, end), ...resetSentence(budget)].join(' ');
  const data = dataOf(budget, { threshold: null, used_up_at: timeAt(end) });
  return [{ type: 'budget.forecast', name: nameOf(budget, 'forecast'), implied: [], text, data }];
}

/** The shares of a budget at which operators are told: its own, or those of all. */
function thresholdsOf({ rule }: Budget, at: readonly number[]): readonly number[] {
  return rule?.alert_at ?? at;
}

/** Whether what is raised of a budget without a window is over: its share is clearly below, or there is no such budget any more. */
export function isOver(name: string, budgets: readonly Budget[]): boolean {
  for (const budget of budgets) {
    if (budget.resets_at !== null) continue;
    const beginning = nameOf(budget, '');
    if (!name.startsWith(beginning)) continue;
    // A share that is not listed any more stays raised, too: it may be listed again.
    return (budget.share ?? 0) < Number(name.slice(beginning.length)) - MARGIN;
  }
  return !isListCut(name, budgets);
}

/** Whether a name is that of one of so many who each have a budget that only the fullest were listed. */
function isListCut(name: string, budgets: readonly Budget[]): boolean {
  const rule = /^open budget:\d+:([^:]*:[^:]*):/.exec(name)?.[1];
  if (rule === undefined) return false;
  const alike = budgets.filter(({ of, bound, limit }) => of === 'budget' && `${bound}:${limit ?? ''}` === rule);
  return alike.length >= MOST_SUBJECTS;
}

export interface OwnerMoney {
  readonly id: number;
  readonly name: string;
  /** What may still be spent, quota units. */
  readonly left: number;
  /** What was spent on a day, of late. */
  readonly perDay: number;
}

/** At the present pace, the money of an owner is used up within days. */
export function balanceForecast(owner: OwnerMoney, now: number): Occasion | undefined {
  const { left, perDay } = owner;
  if (left <= 0 || perDay <= 0 || left / perDay >= SHORT_DAYS) return undefined;
  const end = now + (left / perDay) * DAY_MS;
  const whose = `The money of ${subject('owner', owner)}`;
  return {
    type: 'budget.forecast',
    name: forecastName(owner.id),
    implied: [],
    text: `${whose} is used up on ${dayOf(end)} at the pace of the last 7 days: ${dollars(dollarsOf(left))} is left.`,
    data: { of: 'owner', id: owner.id, name: owner.name, left: dollarsOf(left), used_up_at: timeOf(end) },
  };
}

/** Whether an owner's money lasts so long that a later shortage is news. */
export function lastsLong({ left, perDay }: Pick<OwnerMoney, 'left' | 'perDay'>): boolean {
  return left > 0 && left >= perDay * WELL_DAYS;
}

export function forecastName(ownerId: number): string {
  return `${OPEN}owner:${ownerId}:money:forecast`;
}

/** A balance is below what its owner's operator has set. */
export function lowBalance(owner: {
  readonly id: number;
  readonly name: string;
  readonly balance: number;
  readonly low: number;
}): Occasion {
  const [balance, low] = [dollarsOf(owner.balance), dollarsOf(owner.low)];
  return {
    type: 'owner.low_balance',
    name: lowName(owner.id, owner.low),
    implied: [],
    text: `The balance of ${subject('owner', owner)} is ${dollars(balance)}, below ${dollars(low)}.`,
    data: { of: 'owner', id: owner.id, name: owner.name, left: balance, low_balance: low },
  };
}

export function lowName(ownerId: number, low: number): string {
  return `${OPEN}owner:${ownerId}:low:${low}`;
}

/** A vendor does not take an account's credentials, or wants to be paid first; told once a day. */
export function keyRefused(account: Pick<GatewayAccount, 'id' | 'name' | 'vendor' | 'member'>, now: number): Occasion {
  const { name, vendor, member } = account;
  const whole = subject('account', { name, id: accountIdOf(account) });
  const key = member?.number ?? null;
  return {
    type: 'account.key_refused',
    name: `account:${account.id}:key_refused@${dayOf(now)}`,
    implied: [],
    text: `${vendor} refuses ${key === null ? `${whole}: its key` : `key ${key} of ${whole}: it`} is wrong or revoked, or it has no credit. Requests go to other ${key === null ? 'accounts' : 'keys or accounts'}, or fail.`,
    data: { of: 'account', id: accountIdOf(account), name, vendor, key },
  };
}

/** With an empty text what all names of the budget begin with. */
function nameOf({ of, id, bound, limit, resets_at: resets }: Budget, what: number | 'forecast' | ''): string {
  const subjectAndLimit = `${of}:${id}:${bound}:${limit ?? ''}`;
  // A balance that recovers can run low again; a window that ends has another name.
  return resets === null ? `${OPEN}${subjectAndLimit}:${what}` : `${subjectAndLimit}@${resets}:${what}`;
}

function subject(of: string, { name, id }: { readonly name: string; readonly id: number }): string {
  return `the ${of} "${plainText(name).slice(0, 100)}" (${id})`;
}

function usedSentence(budget: Budget): string {
  const { of, limit, used, share, bound, left, owner_name: owner } = budget;
  const amount = (value: number): string => (budget.unit === 'usd' ? dollars(value) : `${count(value)} ${budget.unit}`);
  const whose = of === 'key' && owner !== null ? ` of the owner "${plainText(owner).slice(0, 100)}"` : '';
  const who = `${subject(of, budget)}${whose}`;
  if (limit === null || used === null) return `The ${bound} of ${who} is used up: ${amount(left)} is left.`;
  const part = `${Math.floor((share ?? 0) * 100)}% of ${bound}`;
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} has used ${part}: ${amount(used)} of ${amount(limit)}.`;
}

function resetSentence({ resets_at: resets }: Budget): readonly string[] {
  return resets === null ? [] : [`It begins anew on ${momentOf(Date.parse(resets))}.`];
}

/** Operators who read that a budget is used up ask what happens to requests. */
function actionSentence({ rule }: Budget): readonly string[] {
  return rule?.action === 'alert' ? ['Requests beyond it are not refused.'] : [];
}

function endSentence({ bound }: Budget, end: number | undefined): readonly string[] {
  return end === undefined ? [] : [`At this pace, ${bound} is used up on ${dayOf(end)}.`];
}

/** When a budget of a week or longer is used up at the pace of its window so far; undefined where it lasts, or where that is not known yet. */
function endOf({ share, used, resets_at: resets, bound }: Budget, now: number): number | undefined {
  if (share === null || used === null || share <= 0 || share >= 1 || resets === null) return undefined;
  const ends = Date.parse(resets);
  const start = startOf(bound, ends);
  if (start === undefined) return undefined;
  const elapsed = now - start;
  if (elapsed < (ends - start) * LEAST_ELAPSED) return undefined;
  const end = start + elapsed / share;
  return end < start + (ends - start) * LATEST_END ? end : undefined;
}

/** The beginning of a window that ends then; undefined of shorter ones, whose pace says little. */
function startOf(bound: string, ends: number): number | undefined {
  if (bound.includes('week')) return ends - 7 * DAY_MS;
  if (!bound.includes('month')) return undefined;
  const end = new Date(ends);
  return Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1);
}

function dataOf(budget: Budget, more: JsonObject): JsonObject {
  const { object: _object, declared: _declared, ...said } = budget;
  return { ...said, ...more };
}

function timeAt(end: number | undefined): string | null {
  return end === undefined ? null : timeOf(end);
}

function momentOf(at: number): string {
  return `${timeOf(at).slice(0, 16).replace('T', ' ')} UTC`;
}
