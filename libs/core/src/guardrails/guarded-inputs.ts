/** Requests that are no chats, looked through before a vendor has them. Where no guardrail is configured nothing is done. */
import type { ModelRow } from '../catalogue.ts';
import { newTrace, type Trace } from '../paid/trace.ts';
import type { Caller } from '../parts.ts';
import { findingsOf, guardrailsFor } from './findings.ts';
import { guardedTexts, type GuardedText } from './guarded-texts.ts';
import { createDecide, type GuardParts } from './judge.ts';

/** Where the texts of a kind's requests stand. */
export interface InputTexts<Input> {
  /** The kind of model, as hooks are told it. */
  readonly kind: string;
  /** The input with every text that people wrote as `put` gives it, in their order. */
  map(input: Input, put: (text: string, param: string) => string): Input;
}

interface InputCall<Input> {
  readonly caller: Caller;
  readonly row: ModelRow;
  readonly input: Input;
  readonly read: (row: ModelRow) => Input;
}
type Run<Call, T> = (call: Call, trace?: Trace) => Promise<T>;

/** Makes what puts guardrails before the work of a kind, which throws `content_refused` and `unavailable` then. */
export function guardedInputs(parts: GuardParts) {
  const decide = createDecide(parts);
  return <Input, Call extends InputCall<Input>, T>(
    texts: InputTexts<Input>,
    run: Run<Call & InputCall<Input>, T>,
  ): Run<Call & InputCall<Input>, T> => {
    const runGuarded = async (call: Call, trace: Trace): Promise<T> => {
      const asked = { caller: call.caller, model: call.row.code, kind: texts.kind };
      const own = guardrailsFor(parts, parts.catalogue().guardrails ?? [], asked);
      if (own.length === 0) return run(call, trace);
      const found: GuardedText[] = [];
      texts.map(call.input, (text, param) => {
        found.push({ text, param });
        return text;
      });
      const guarding = { findings: findingsOf(parts, own, asked, trace), decide, thread: parts.scanThread };
      const changes = await guardedTexts(guarding, 'request', found);
      if (changes.size === 0) return run(call, trace);
      // By their words: for another model of the same request the places may be others.
      const changed = new Map([...changes].map(([index, text]) => [found[index]?.text, text]));
      const masked = (input: Input): Input => texts.map(input, (text) => changed.get(text) ?? text);
      return run({ ...call, input: masked(call.input), read: (row) => masked(call.read(row)) }, trace);
    };
    return (call, trace = newTrace()) =>
      parts.catalogue().guardrails === undefined ? run(call, trace) : runGuarded(call, trace);
  };
}
