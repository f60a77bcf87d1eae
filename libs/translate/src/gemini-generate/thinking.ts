/** How much to think, said as this model takes it: a level (Gemini 3) or a budget (2.5) (docs/wire/chat-translation.md#reasoning-controls). */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Effort, ReasoningRequest } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { budgetOfEffort, effortOfBudget, quirk } from '../shared/translation.ts';
import type { DroppedList } from '../shared/dropped.ts';
import { fieldName } from '../shared/field-names.ts';

/** Of which output to think a share, when nobody says what the model's largest is. */
const ASSUMED_CAP = 65_536;
/** The largest budget every 2.5 model takes. */
const MOST_BUDGET = 24_576;

/** `thinkingConfig`, or nothing. */
export function encodeThinking(request: ChatRequest, target: Target, dropped: DroppedList): JsonObject | undefined {
  const wish = request.reasoning;
  if (wish === undefined) return undefined;
  const style = quirk(target, 'thinking') ?? 'levels';
  const cap = target.maxOutputTokens ?? ASSUMED_CAP;
  const off = wish.mode === 'disabled' || wish.effort === 'none' || wish.budgetTokens === 0;
  if (style === 'none') {
    if (!off) dropped.add(askedIn(request, wish), 'this model does not think');
    return undefined;
  }
  const amount =
    style === 'budget' ? encodeBudget(wish, off, cap, target) : encodeLevel(request, off, { cap, target, dropped });
  const visible =
    wish.visible ?? (off || request.dialect !== 'anthropic-messages' || wish.mode === undefined ? undefined : true);
  const config = { ...amount, ...(visible !== undefined && { includeThoughts: visible }) };
  return Object.keys(config).length === 0 ? undefined : config;
}

function askedIn(request: ChatRequest, wish: ReasoningRequest): string {
  if (wish.effort !== undefined) return fieldName(request, 'effort');
  return fieldName(request, wish.budgetTokens === undefined ? 'reasoningText' : 'budget');
}

function encodeBudget(wish: ReasoningRequest, off: boolean, cap: number, target: Target): JsonObject {
  if (off) return { thinkingBudget: 0 };
  if (wish.budgetTokens !== undefined) return { thinkingBudget: wish.budgetTokens };
  if (wish.effort === undefined) return wish.mode === undefined ? {} : { thinkingBudget: -1 };
  const most = quirk(target, 'max_thinking_budget');
  return { thinkingBudget: Math.min(budgetOfEffort(wish.effort, cap), typeof most === 'number' ? most : MOST_BUDGET) };
}

const LEVELS: Readonly<Record<Effort, string>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};

interface LevelContext {
  readonly cap: number;
  readonly target: Target;
  readonly dropped: DroppedList;
}

function encodeLevel(request: ChatRequest, off: boolean, { cap, target, dropped }: LevelContext): JsonObject {
  const wish = request.reasoning ?? {};
  const budget = wish.effort === undefined ? wish.budgetTokens : undefined;
  const effort = off ? 'none' : (wish.effort ?? (budget === undefined ? undefined : effortOfBudget(budget, cap)));
  if (effort === undefined) return {};
  const minimal = quirk(target, 'reasoning_levels') !== 'no-minimal';
  const level = LEVELS[effort] === 'MINIMAL' && !minimal ? 'LOW' : LEVELS[effort];
  const field = askedIn(request, wish);
  if (off) dropped.add(field, `this model always thinks: sent as ${level}`);
  else if (budget !== undefined) dropped.add(field, `this model takes no budget: sent as level ${level}`);
  else if (level.toLowerCase() !== effort) dropped.add(field, `no ${effort} here: sent as ${level}`);
  return { thinkingLevel: level };
}
