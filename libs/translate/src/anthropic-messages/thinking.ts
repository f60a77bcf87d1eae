/** How much to think, said as this model takes it (docs/wire/chat-translation.md#reasoning-controls). */
import type { JsonObject } from '@model-gateway/contracts';
import type { ChatRequest, Effort, ReasoningRequest } from '../conversation.ts';
import type { Target } from '../dialect.ts';
import { budgetOfEffort, effortOfBudget, quirk } from '../shared/translation.ts';
import type { DroppedList } from '../shared/dropped.ts';
import { fieldName } from '../shared/field-names.ts';

const LEAST_BUDGET = 1024;
/** Of which output to think a share, when nobody says what the model's largest is. */
const ASSUMED_CAP = 32_000;
/** The output cap where neither caller nor catalogue has one. */
const DEFAULT_MAX_TOKENS = 8192;

export interface ThinkingPlan {
  readonly thinking: JsonObject | undefined;
  readonly effort: string | undefined;
  readonly maxTokens: number;
  /** Sampling settings are refused while this is true. */
  readonly on: boolean;
}

export interface ThinkingSituation {
  /** A tool must be called: manual thinking refuses that. */
  readonly forced: boolean;
  /** An assistant turn would have to start with thinking it does not have: manual thinking refuses that. */
  readonly historyLacks: boolean;
}

/** Chooses `thinking`, `output_config.effort` and `max_tokens`, which counts thinking. */
export function planThinking(
  request: ChatRequest,
  target: Target,
  situation: ThinkingSituation,
  dropped: DroppedList,
): ThinkingPlan {
  const maxTokens = outputCap(request, target, dropped);
  const off = { thinking: undefined, effort: undefined, maxTokens, on: false };
  const wish = request.reasoning;
  if (wish === undefined) return off;
  const style = quirk(target, 'thinking') ?? 'adaptive';
  if (style === 'none') {
    if (!isOff(wish)) dropped.add(nameOf(request, wish), 'this model does not think');
    return off;
  }
  if (isOff(wish)) return { ...off, thinking: { type: 'disabled' }, effort: effortWhenOff(request, style, dropped) };
  if (style !== 'budget') return planAdaptive(request, wish, { target, maxTokens, dropped });
  const refusal = refusalOf(situation);
  if (refusal === undefined) return planBudget(request, wish, { target, maxTokens, dropped });
  dropped.add(nameOf(request, wish), refusal);
  return { ...off, thinking: { type: 'disabled' } };
}

function outputCap(request: ChatRequest, target: Target, dropped: DroppedList): number {
  const wish = request.maxOutputTokens ?? target.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  if (target.maxOutputTokens === undefined || wish <= target.maxOutputTokens) return wish;
  dropped.add(fieldName(request, 'maxOutputTokens'), `this model gives at most ${target.maxOutputTokens} tokens`);
  return target.maxOutputTokens;
}

function isOff({ mode, effort, budgetTokens }: ReasoningRequest): boolean {
  return mode === 'disabled' || (mode === undefined && (effort === 'none' || budgetTokens === 0));
}

/** The caller's field that asks for reasoning. */
function nameOf(request: ChatRequest, wish: ReasoningRequest): string {
  if (request.dialect === 'anthropic-messages' && wish.mode !== undefined) return 'thinking';
  if (wish.effort !== undefined) return fieldName(request, 'effort');
  return fieldName(request, wish.budgetTokens === undefined ? 'reasoningText' : 'budget');
}

function refusalOf({ forced, historyLacks }: ThinkingSituation): string | undefined {
  if (forced) return 'this model does not think when a tool must be called';
  return historyLacks ? 'the tool calls before came without thinking that this model could read' : undefined;
}

/** An effort beside disabled thinking; above `high` newer models refuse the pair. */
function effortWhenOff(
  request: ChatRequest,
  style: string | number | boolean,
  dropped: DroppedList,
): string | undefined {
  const effort = request.reasoning?.effort;
  if (effort === undefined || effort === 'none' || style === 'budget') return undefined;
  if (effort !== 'xhigh' && effort !== 'max') return effort === 'minimal' ? 'low' : effort;
  dropped.add(fieldName(request, 'effort'), 'sent as high: more is refused while thinking is off');
  return 'high';
}

interface PlanContext {
  readonly target: Target;
  readonly maxTokens: number;
  readonly dropped: DroppedList;
}

function planAdaptive(request: ChatRequest, wish: ReasoningRequest, context: PlanContext): ThinkingPlan {
  const { target, maxTokens, dropped } = context;
  // An Anthropic caller who only sets an effort leaves the rest to the model; everyone else's effort asks for thinking.
  const silent = request.dialect === 'anthropic-messages' && wish.mode === undefined;
  const effort = adaptiveEffort(request, wish, context);
  const display = displayOf(wish);
  const thinking = silent ? undefined : { type: 'adaptive', ...(display !== undefined && { display }) };
  if (wish.mode === 'enabled' && wish.budgetTokens !== undefined && wish.budgetTokens > 0) {
    const told = effort === undefined ? 'the model decides itself' : `sent as effort ${effort}`;
    dropped.add(fieldName(request, 'budget'), `this model takes no budget: ${told}`);
  }
  return { thinking, effort: effort && sayable(effort, request, target, dropped), maxTokens, on: !silent };
}

function adaptiveEffort(request: ChatRequest, wish: ReasoningRequest, { target }: PlanContext): Effort | undefined {
  if (wish.effort !== undefined || wish.budgetTokens === undefined) return wish.effort;
  return effortOfBudget(wish.budgetTokens, target.maxOutputTokens ?? request.maxOutputTokens ?? ASSUMED_CAP);
}

/** Without `display`, newer models keep their thinking to themselves (vercel/ai#18247). */
function displayOf({ visible }: ReasoningRequest): string | undefined {
  if (visible === undefined) return undefined;
  return visible ? 'summarized' : 'omitted';
}

function sayable(effort: Effort, request: ChatRequest, target: Target, dropped: DroppedList): string | undefined {
  if (effort === 'none') return undefined;
  const said = effort === 'minimal' ? 'low' : effort === 'xhigh' && quirk(target, 'xhigh') === false ? 'max' : effort;
  if (said !== effort) dropped.add(fieldName(request, 'effort'), `no ${effort} here: sent as ${said}`);
  return said;
}

function planBudget(request: ChatRequest, wish: ReasoningRequest, context: PlanContext): ThinkingPlan {
  const { target, dropped } = context;
  const cap = target.maxOutputTokens ?? Math.max(ASSUMED_CAP, context.maxTokens);
  const given = wish.budgetTokens !== undefined && wish.budgetTokens > 0 ? wish.budgetTokens : undefined;
  // "adaptive" or "as you like" on a model that must be told a number: what `medium` gets.
  const budget = Math.max(LEAST_BUDGET, given ?? budgetOfEffort(wish.effort ?? 'medium', cap));
  let maxTokens = context.maxTokens;
  // Thinking counts into max_tokens: the caller's cap is for the answer, unless it has room for both already.
  const ownCap = given !== undefined && given < maxTokens;
  if (!ownCap && request.maxOutputTokens !== undefined) {
    maxTokens = Math.min(cap, maxTokens + budget);
    if (maxTokens !== context.maxTokens) {
      dropped.add(fieldName(request, 'maxOutputTokens'), `thinking counts into it here: sent as ${maxTokens}`);
    }
  }
  const fitting = Math.min(budget, maxTokens - 1);
  if (fitting < LEAST_BUDGET) {
    dropped.add(nameOf(request, wish), 'the output cap leaves no room to think');
    return { thinking: { type: 'disabled' }, effort: undefined, maxTokens: context.maxTokens, on: false };
  }
  const display = displayOf(wish);
  const thinking = { type: 'enabled', budget_tokens: fitting, ...(display !== undefined && { display }) };
  return { thinking, effort: undefined, maxTokens, on: true };
}
