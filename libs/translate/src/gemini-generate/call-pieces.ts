/**
 * Calls whose arguments come in pieces (`streamFunctionCallArguments`, docs/wire/gemini-generate.md#stream-grammar): the name first, then
 * values by their place in the arguments, then an end of their own, which may be missing.
 */
import { GatewayError, isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { objectOf, objectsOf, textOf, wordOf } from '../shared/read.ts';

interface OpenCall {
  readonly part: JsonObject;
  readonly call: JsonObject;
  readonly args: JsonObject;
}

/** Puts the calls of one candidate together. */
export class CallPieces {
  private open: OpenCall | undefined;

  /** The parts that are whole by now; a part that is none of a call in pieces comes back as it is. */
  push(part: JsonObject): JsonObject[] {
    const call = objectOf(part['functionCall']);
    const name = wordOf(call?.['name']);
    if (call === undefined) return [...this.end(), part];
    if (name === undefined && this.open !== undefined) return this.go(this.open, call);
    const before = this.end();
    if (call['willContinue'] !== true && call['partialArgs'] === undefined) return [...before, part];
    const { partialArgs: _pieces, willContinue: _goesOn, args, ...rest } = call;
    this.open = { part, call: rest, args: structuredClone(objectOf(args) ?? {}) };
    return [...before, ...this.go(this.open, call)];
  }

  /** What is still open: its end did not come. */
  end(): JsonObject[] {
    const { open } = this;
    this.open = undefined;
    return open === undefined ? [] : [{ ...open.part, functionCall: { ...open.call, args: open.args } }];
  }

  private go({ args }: OpenCall, call: JsonObject): JsonObject[] {
    for (const piece of objectsOf(call['partialArgs'])) put(args, piece);
    return call['willContinue'] === true ? [] : this.end();
  }
}

function put(args: JsonObject, piece: JsonObject): void {
  const value = valueOf(piece);
  if (value === undefined) return;
  const path = textOf(piece['jsonPath']) ?? '';
  const steps = stepsOf(path);
  const last = steps.pop();
  if (last === undefined) throw unreadable(path);
  let place: Json = args;
  steps.forEach((step, index) => {
    const inner: Json = memberOf(place, step) ?? (typeof (steps[index + 1] ?? last) === 'number' ? [] : {});
    setMember(place, step, inner, path);
    place = inner;
  });
  const before = memberOf(place, last);
  const isMore = typeof before === 'string' && typeof value === 'string';
  setMember(place, last, isMore ? before + value : value, path);
}

/** `null` is a value as well; undefined for a piece without one. */
function valueOf({ stringValue, numberValue, boolValue, ...rest }: JsonObject): Json | undefined {
  return stringValue ?? numberValue ?? boolValue ?? ('nullValue' in rest ? null : undefined);
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** `$.recipe.steps[0]['how long']`, taken apart. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  for (let at = 1; at < path.length; at = STEP.lastIndex) {
    const [, name, index, quoted, doubled] = STEP.exec(path) ?? [];
    const key = name ?? quoted ?? doubled;
    if (key === undefined && index === undefined) throw unreadable(path);
    steps.push(key ?? Number(index));
  }
  return steps;
}

function memberOf(place: Json, step: string | number): Json | undefined {
  if (Array.isArray(place)) return typeof step === 'number' ? place[step] : undefined;
  return isJsonObject(place) && Object.hasOwn(place, step) ? place[step] : undefined;
}

function setMember(place: Json, step: string | number, value: Json, path: string): void {
  // One after the other: a list with a hole is none.
  if (Array.isArray(place) && typeof step === 'number' && step <= place.length) place[step] = value;
  else if (isJsonObject(place) && typeof step === 'string') {
    Object.defineProperty(place, step, { value, writable: true, enumerable: true, configurable: true });
  } else throw unreadable(path);
}

function unreadable(path: string): GatewayError {
  return new GatewayError('upstream_malformed', `The arguments have no such place: ${path.slice(0, 80)}`);
}
