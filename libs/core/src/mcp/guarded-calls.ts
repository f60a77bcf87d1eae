/** Calls of tools that guardrails look through: their arguments as a request, their results as an answer. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { TextPlace } from '@model-gateway/translate';
import { findingsOf } from '../guardrails/findings.ts';
import { guardedBody } from '../guardrails/guarded-texts.ts';
import type { Guardrail } from '../guardrails/guardrail.ts';
import { createDecide, type Decide, type GuardParts } from '../guardrails/judge.ts';
import { matches } from '../keys/pattern.ts';
import type { Caller } from '../parts.ts';
import { RpcFault } from './protocol.ts';

/** What guardrails know a tool by, where they name models: `mcp/docs/search`. */
export function guardedName(server: string, tool: string): string {
  return `mcp/${server}/${tool}`;
}

export class CallGuard {
  readonly #parts: GuardParts;
  readonly #decide: Decide;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#decide = createDecide(parts);
  }

  /**
   * Asks for the result of a call with what may be sent, and gives what may be told of it. `isGuarded`: what the server says before its answer is
   * not to be told, nobody has looked through it. Throws `content_refused`.
   */
  async around(
    { caller, name, args }: { readonly caller: Caller; readonly name: string; readonly args: JsonObject },
    call: (args: JsonObject, isGuarded: boolean) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const own = (this.#parts.catalogue().guardrails ?? []).filter((each) => isFor(each, name, caller));
    if (own.length === 0) return call(args, false);
    const findings = findingsOf(this.#parts, own, { caller, model: name, kind: 'mcp' });
    const guarding = { findings, decide: this.#decide, thread: this.#parts.scanThread };
    const sent = await guardedBody(guarding, 'request', { arguments: args }, (body) => textsIn(body, ''));
    try {
      const result = await call(sent === undefined ? args : (sent['arguments'] as JsonObject), true);
      return (await guardedBody(guarding, 'answer', result, textsOfResult)) ?? result;
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      const said = { message: error.message, data: error.data ?? null };
      const shown = (await guardedBody(guarding, 'answer', said, textsOfResult)) ?? said;
      const { message, data } = shown;
      throw new RpcFault(
        error.code,
        typeof message === 'string' ? message : '',
        error.data === undefined ? undefined : data,
      );
    }
  }
}

function isFor({ models, keys, groups }: Guardrail, name: string, { key }: Caller): boolean {
  const among = (patterns: readonly string[], text: string): boolean =>
    patterns.length === 0 || patterns.some((pattern) => matches(pattern, text));
  return among(models, name) && among(keys, key.name) && among(groups, key.group);
}

/** Pictures and sound are no texts. */
function textsOfResult(result: JsonObject): readonly TextPlace[] {
  return textsIn(result, '').filter(({ at }) => at !== 'data' && at !== 'blob' && at !== 'mimeType');
}

function textsIn(json: JsonObject | Json[], param: string): TextPlace[] {
  return Object.entries(json).flatMap(([name, value]: [string, Json | undefined]): TextPlace[] => {
    const at = Array.isArray(json) ? Number(name) : name;
    const place = Array.isArray(json) ? `${param}[${name}]` : param === '' ? name : `${param}.${name}`;
    if (typeof value === 'string') return [{ in: json, at, param: place }];
    return Array.isArray(value) || isJsonObject(value) ? textsIn(value, place) : [];
  });
}
