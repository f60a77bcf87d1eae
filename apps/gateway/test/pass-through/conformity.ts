/** Whether an answer is what the types of its vendor's SDK say: every member that they require, and of each its kind and its words. */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import ts from 'typescript';
import { isOptional, openOfficialTypes, typeOf } from './samples.ts';

/** What the SDKs put into answers themselves. */
const OF_SDK: ReadonlySet<string> = new Set(['output_text', '_request_id', 'parsed_output', 'sdkHttpResponse']);
const DEEPEST = 24;

/** What is wrong with a value that should be of an exported type of `official-types.ts`; members that the types do not name are no fault. */
export function faultsOf(name: string, value: Json): readonly string[] {
  return new Comparison(openOfficialTypes().checker).faults(typeOf(name), value, name);
}

class Comparison {
  private readonly checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.checker = checker;
  }

  faults(type: ts.Type, value: Json | undefined, place: string, depth = 0): readonly string[] {
    if (depth > DEEPEST || type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
    if (type.isUnion()) return this.ofUnion(type, value, place, depth);
    if (isOfPlain(type, value, this.checker)) return [];
    const elements = this.elementOf(type);
    if (elements !== undefined && Array.isArray(value))
      return value.flatMap((each, index) => this.faults(elements, each, `${place}[${index}]`, depth + 1));
    if (elements === undefined && isObjectType(type) && isJsonObject(value ?? null))
      return this.ofObject(type, value as JsonObject, place, depth);
    return [`${place}: ${short(value)} is not ${this.checker.typeToString(type)}`];
  }

  /** The faults of the alternative that its `type` names, else of the one that fits best. */
  private ofUnion(type: ts.UnionType, value: Json | undefined, place: string, depth: number): readonly string[] {
    const named = type.types.filter((each) => this.isNamed(each, value));
    const [first, ...others] = (named.length > 0 ? named : type.types).map((each) =>
      this.faults(each, value, place, depth + 1),
    );
    return others.reduce((best, each) => (each.length < best.length ? each : best), first ?? []);
  }

  private isNamed(type: ts.Type, value: Json | undefined): boolean {
    const word = type.getProperty('type');
    if (word === undefined || !isJsonObject(value ?? null)) return false;
    const said = this.checker.getTypeOfSymbol(word);
    return said.isStringLiteral() && said.value === (value as JsonObject)['type'];
  }

  private ofObject(type: ts.Type, value: JsonObject, place: string, depth: number): readonly string[] {
    const index = type.getStringIndexType();
    const named = this.checker.getPropertiesOfType(type).filter(({ name }) => !OF_SDK.has(name));
    const found = named.flatMap((member) => {
      const own = this.checker.getTypeOfSymbol(member);
      if (own.getCallSignatures().length > 0) return [];
      const at = `${place}.${member.name}`;
      if (value[member.name] !== undefined) return this.faults(own, value[member.name], at, depth + 1);
      return isOptional(member) || isOfPlain(own, undefined, this.checker) ? [] : [`${at} is missing`];
    });
    if (index === undefined) return found;
    const rest = Object.keys(value).filter((name) => type.getProperty(name) === undefined);
    return [...found, ...rest.flatMap((name) => this.faults(index, value[name], `${place}.${name}`, depth + 1))];
  }

  private elementOf(type: ts.Type): ts.Type | undefined {
    if (!this.checker.isArrayType(type) && !this.checker.isTupleType(type)) return undefined;
    return this.checker.getTypeArguments(type as ts.TypeReference)[0];
  }
}

function isOfPlain(type: ts.Type, value: Json | undefined, checker: ts.TypeChecker): boolean {
  const { flags } = type;
  if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return value === undefined;
  if (flags & ts.TypeFlags.Null) return value === null;
  if (type.isStringLiteral() || type.isNumberLiteral()) return value === type.value;
  if (flags & ts.TypeFlags.BooleanLiteral) return String(value) === checker.typeToString(type);
  if (flags & ts.TypeFlags.BooleanLike) return typeof value === 'boolean';
  if (flags & ts.TypeFlags.StringLike) return typeof value === 'string';
  if (flags & ts.TypeFlags.NumberLike) return typeof value === 'number';
  if (type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.String))
    return typeof value === 'string';
  return Boolean(flags & ts.TypeFlags.NonPrimitive) && typeof value === 'object';
}

function isObjectType({ flags }: ts.Type): boolean {
  return Boolean(flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));
}

function short(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80);
}
