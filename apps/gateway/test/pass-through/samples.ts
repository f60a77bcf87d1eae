/** Samples of official types: together they have every member and every alternative that the types of the vendors' SDKs name. */
import { fileURLToPath } from 'node:url';
import type { ChatFormat, Json, JsonObject } from '@model-gateway/contracts';
import ts from 'typescript';

export interface Sample {
  /** The member or alternative that it was made for: `tools[].function.strict`. */
  readonly place: string;
  readonly value: Json;
}

const FILE = fileURLToPath(new URL('official-types.ts', import.meta.url));
let opened: { readonly checker: ts.TypeChecker; readonly types: ReadonlyMap<string, ts.Type> } | undefined;

/** Reads the exported types of a file once: with the SDKs behind it that takes seconds. */
export function openOfficialTypes(): NonNullable<typeof opened> {
  if (opened !== undefined) return opened;
  const program = ts.createProgram([FILE], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE);
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (symbol === undefined) throw new Error(`${FILE} exports nothing`);
  const exported = checker.getExportsOfModule(symbol);
  const types = new Map(exported.map((each) => [each.name, checker.getDeclaredTypeOfSymbol(each)] as const));
  opened = { checker, types };
  return opened;
}

/** Every member and alternative of an exported type of `official-types.ts`, each in a sample that is otherwise as small as it may be. */
export function samplesOf(name: string): readonly Sample[] {
  return new Sampler(openOfficialTypes().checker).all(typeOf(name), '');
}

/** Names of the members of an exported type that may be left out. */
export function optionalMembersOf(name: string): readonly string[] {
  return openOfficialTypes()
    .checker.getPropertiesOfType(typeOf(name))
    .filter(isOptional)
    .map((each) => each.name);
}

export function typeOf(name: string): ts.Type {
  const type = openOfficialTypes().types.get(name);
  if (type === undefined) throw new Error(`official-types.ts has no type ${name}`);
  return type;
}

class Sampler {
  private readonly checker: ts.TypeChecker;
  /** Types whose members have been gone through: where they come again, the smallest of them will do. */
  private readonly seen = new Set<ts.Type>();

  constructor(checker: ts.TypeChecker) {
    this.checker = checker;
  }

  all(type: ts.Type, place: string): Sample[] {
    const plain = this.plain(type, place);
    if (plain !== undefined) return plain;
    if (type.isUnion()) return type.types.flatMap((each) => this.all(each, `${place}${this.label(each)}`));
    const element = this.elementOf(type);
    if (element !== undefined)
      return [
        { place: `${place}[]`, value: [] },
        ...this.all(element, `${place}[]`).map(({ place: at, value }) => ({ place: at, value: [value] })),
      ];
    return this.objects(type, place);
  }

  /** The smallest value of a type; undefined where it has none that is JSON. */
  smallest(type: ts.Type, depth = 0): Json | undefined {
    const plain = this.plain(type, '');
    if (plain !== undefined) return plain[0]?.value;
    if (depth > 12) return undefined;
    if (type.isUnion()) {
      if (type.types.some(({ flags }) => flags & ts.TypeFlags.Null)) return null;
      for (const each of type.types) {
        const found = this.smallest(each, depth + 1);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    if (this.elementOf(type) !== undefined) return [];
    const value: JsonObject = {};
    for (const member of this.membersOf(type)) {
      if (isOptional(member)) continue;
      const found = this.smallest(this.checker.getTypeOfSymbol(member), depth + 1);
      if (found !== undefined) value[member.name] = found;
    }
    return value;
  }

  private objects(type: ts.Type, place: string): Sample[] {
    const base = this.smallest(type);
    if (base === undefined || base === null || typeof base !== 'object' || Array.isArray(base)) return [];
    const found: Sample[] = [{ place: place === '' ? 'the smallest' : place, value: base }];
    if (this.seen.has(type)) return found;
    this.seen.add(type);
    for (const member of this.membersOf(type)) {
      const at = place === '' ? member.name : `${place}.${member.name}`;
      for (const { place: inner, value } of this.all(this.checker.getTypeOfSymbol(member), at))
        found.push({ place: inner, value: { ...base, [member.name]: value } });
    }
    const index = type.getStringIndexType();
    if (index !== undefined && !(index.flags & ts.TypeFlags.Never))
      for (const { value } of this.all(index, place))
        found.push({ place: `${place}.*`, value: { ...base, key: value } });
    return found;
  }

  /** Values of a type that has no parts; undefined of one that has. */
  private plain(type: ts.Type, place: string): Sample[] | undefined {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never)) return [];
    if (flags & ts.TypeFlags.Null) return [{ place, value: null }];
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [{ place, value: 'anything' }];
    if (type.isStringLiteral() || type.isNumberLiteral()) return [{ place, value: type.value }];
    if (flags & ts.TypeFlags.BooleanLiteral) return [{ place, value: this.checker.typeToString(type) === 'true' }];
    if (flags & ts.TypeFlags.StringLike) return [{ place, value: 'text' }];
    if (flags & ts.TypeFlags.NumberLike) return [{ place, value: 1 }];
    if (flags & ts.TypeFlags.NonPrimitive) return [{ place, value: {} }];
    // `string & {}`: any other word.
    if (type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.String))
      return [{ place, value: 'another word' }];
    return type.getCallSignatures().length > 0 ? [] : undefined;
  }

  private elementOf(type: ts.Type): ts.Type | undefined {
    if (!this.checker.isArrayType(type) && !this.checker.isTupleType(type)) return undefined;
    return this.checker.getTypeArguments(type as ts.TypeReference)[0];
  }

  private membersOf(type: ts.Type): readonly ts.Symbol[] {
    return this.checker
      .getPropertiesOfType(type)
      .filter(
        (each) => !each.name.startsWith('__') && this.checker.getTypeOfSymbol(each).getCallSignatures().length === 0,
      );
  }

  /** Which alternative of a union: its `type` where it says one. */
  private label(type: ts.Type): string {
    const word = type.getProperty('type');
    const literal = word === undefined ? undefined : this.checker.getTypeOfSymbol(word);
    if (literal?.isStringLiteral() === true) return `(${literal.value})`;
    if (type.isStringLiteral()) return `=${type.value}`;
    return '';
  }
}

export function isOptional(member: ts.Symbol): boolean {
  return (member.flags & ts.SymbolFlags.Optional) !== 0;
}

/** Samples that the exceptions are about, by their `id` there. */
export const EXCEPTED: Readonly<Record<string, (dialect: ChatFormat, sample: Sample) => boolean>> = {
  'stream-usage': (dialect, { place, value }) =>
    dialect === 'openai-chat' && place.startsWith('stream_options') && (value as JsonObject)['stream_options'] !== null,
  'kept-responses': (dialect, { place, value }) =>
    dialect === 'openai-responses' && place === 'background' && (value as JsonObject)['background'] === true,
};
