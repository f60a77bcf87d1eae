import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { textOf } from '../core/values.ts';
import { badContent } from './errors.ts';

/** The shape of a field in a request, as its protocol buffer has it. */
export type Shape =
  | Scalar
  | readonly [Shape]
  | MessageShape
  | (() => MessageShape)
  | { readonly words: readonly string[] };
type Scalar = 'string' | 'number' | 'integer' | 'boolean' | 'struct' | 'any' | 'map';
export interface MessageShape {
  readonly fields: Readonly<Record<string, Shape>>;
}

/**
 * Reads JSON as Google's servers do: names in camel or snake case, unknown ones refused, wrong kinds refused; answers with camel case.
 * Free-form objects (arguments, JSON schemas) come back untouched.
 */
export function readProto(value: Json, shape: Shape, at: string): Json {
  if (typeof shape === 'string') return readScalar(value, shape, at);
  if (typeof shape === 'function') return readMessage(value, shape(), at);
  if (isList(shape)) {
    // A single message where a list is due is refused; protobuf has no such leniency.
    if (!Array.isArray(value)) throw badContent(`Invalid value at '${at}': expected a list.`);
    return value.map((item, index) => readProto(item, shape[0], `${at}[${index}]`));
  }
  if ('words' in shape) {
    if (typeof value === 'string' && shape.words.includes(value)) return value;
    throw badContent(`Invalid value at '${at}', ${JSON.stringify(value)}`);
  }
  return readMessage(value, shape, at);
}

function isList(shape: Exclude<Shape, Scalar>): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function readMessage(value: Json, shape: MessageShape, at: string): JsonObject {
  if (Array.isArray(value))
    throw badContent(`Invalid value at '${at}': Proto field is not repeating, cannot start list.`);
  if (!isJsonObject(value)) throw badContent(`Invalid value at '${at}': expected an object.`);
  const message: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const kind = shape.fields[camel];
    if (kind === undefined) {
      if (name.startsWith('x_')) continue;
      throw badContent(
        `Invalid JSON payload received. Unknown name "${name}"${at === '' ? '' : ` at '${at}'`}: Cannot find field.`,
      );
    }
    if (field === null) continue;
    message[camel] = readProto(field, kind, at === '' ? name : `${at}.${name}`);
  }
  return message;
}

function readScalar(value: Json, kind: Scalar, at: string): Json {
  switch (kind) {
    case 'any':
      return value;
    case 'struct':
    case 'map':
      if (isJsonObject(value)) return value;
      break;
    case 'string':
      if (typeof value === 'string') return value;
      if (Array.isArray(value))
        throw badContent(`Invalid value at '${at}': Proto field is not repeating, cannot start list.`);
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      break;
    case 'number':
    case 'integer': {
      const number = typeof value === 'string' && value !== '' ? Number(value) : value;
      if (typeof number === 'number' && (kind === 'number' ? Number.isFinite(number) : Number.isInteger(number)))
        return number;
      break;
    }
  }
  throw badContent(`Invalid value at '${at}' (${kind}), ${JSON.stringify(value).slice(0, 60)}`);
}

const BLOB: MessageShape = { fields: { mimeType: 'string', data: 'string', displayName: 'string' } };
const FILE: MessageShape = { fields: { mimeType: 'string', fileUri: 'string', displayName: 'string' } };

export const PART: MessageShape = {
  fields: {
    text: 'string',
    thought: 'boolean',
    thoughtSignature: 'string',
    inlineData: BLOB,
    fileData: FILE,
    functionCall: { fields: { id: 'string', name: 'string', args: 'struct' } },
    functionResponse: {
      fields: {
        id: 'string',
        name: 'string',
        response: 'struct',
        parts: [{ fields: { inlineData: BLOB, fileData: FILE } }],
        willContinue: 'boolean',
        scheduling: 'string',
      },
    },
    executableCode: 'struct',
    codeExecutionResult: 'struct',
    toolCall: 'struct',
    toolResponse: 'struct',
    videoMetadata: 'struct',
    mediaResolution: 'any',
    partMetadata: 'struct',
  },
};
const CONTENT: MessageShape = { fields: { role: 'string', parts: [PART] } };

const TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL', 'TYPE_UNSPECIFIED'];
/** The subset of OpenAPI that Google calls Schema: no `$ref`, no `additionalProperties`, no lists of types. */
const SCHEMA: MessageShape = {
  fields: {
    type: { words: [...TYPES, ...TYPES.map((type) => type.toLowerCase())] },
    format: 'string',
    title: 'string',
    description: 'string',
    nullable: 'boolean',
    enum: ['string'],
    maxItems: 'integer',
    minItems: 'integer',
    properties: 'map',
    required: ['string'],
    minProperties: 'integer',
    maxProperties: 'integer',
    minLength: 'integer',
    maxLength: 'integer',
    pattern: 'string',
    example: 'any',
    anyOf: [(): MessageShape => SCHEMA],
    propertyOrdering: ['string'],
    default: 'any',
    items: (): MessageShape => SCHEMA,
    minimum: 'number',
    maximum: 'number',
  },
};

const FUNCTION: MessageShape = {
  fields: {
    name: 'string',
    description: 'string',
    behavior: 'string',
    parameters: SCHEMA,
    parametersJsonSchema: 'any',
    response: SCHEMA,
    responseJsonSchema: 'any',
  },
};

const GENERATION: MessageShape = {
  fields: {
    temperature: 'number',
    topP: 'number',
    topK: 'number',
    candidateCount: 'integer',
    maxOutputTokens: 'integer',
    stopSequences: ['string'],
    presencePenalty: 'number',
    frequencyPenalty: 'number',
    seed: 'integer',
    responseLogprobs: 'boolean',
    logprobs: 'integer',
    responseMimeType: 'string',
    responseSchema: SCHEMA,
    responseJsonSchema: 'any',
    responseModalities: [{ words: ['TEXT', 'IMAGE', 'AUDIO', 'Text', 'Image', 'Audio'] }],
    speechConfig: 'struct',
    mediaResolution: 'string',
    imageConfig: { fields: { aspectRatio: 'string', imageSize: 'string' } },
    thinkingConfig: { fields: { includeThoughts: 'boolean', thinkingBudget: 'integer', thinkingLevel: 'string' } },
    enableEnhancedCivicAnswers: 'boolean',
  },
};

export const REQUEST: MessageShape = {
  fields: {
    model: 'string',
    contents: [CONTENT],
    systemInstruction: CONTENT,
    tools: [
      {
        fields: {
          functionDeclarations: [FUNCTION],
          googleSearch: 'struct',
          googleSearchRetrieval: 'struct',
          urlContext: 'struct',
          codeExecution: 'struct',
          googleMaps: 'struct',
          fileSearch: 'struct',
          computerUse: 'struct',
        },
      },
    ],
    toolConfig: {
      fields: {
        functionCallingConfig: {
          fields: {
            mode: { words: ['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'] },
            allowedFunctionNames: ['string'],
          },
        },
        retrievalConfig: 'struct',
        includeServerSideToolInvocations: 'boolean',
      },
    },
    safetySettings: [{ fields: { category: 'string', threshold: 'string', method: 'string' } }],
    generationConfig: GENERATION,
    cachedContent: 'string',
    serviceTier: 'string',
    store: 'boolean',
    labels: 'map',
    continuationToken: 'string',
  },
};

export const COUNT_REQUEST: MessageShape = { fields: { contents: [CONTENT], generateContentRequest: REQUEST } };

/** What is kept by name: the beginning of a request, and for how long. */
export const CACHED_CONTENT: MessageShape = {
  fields: {
    model: 'string',
    displayName: 'string',
    contents: [CONTENT],
    systemInstruction: CONTENT,
    tools: REQUEST.fields['tools'] ?? ['struct'],
    toolConfig: REQUEST.fields['toolConfig'] ?? 'struct',
    ttl: 'string',
    expireTime: 'string',
  },
};
export const CACHED_CONTENT_UPDATE: MessageShape = {
  fields: { name: 'string', ttl: 'string', expireTime: 'string' },
};

/** The properties of a schema are schemas too, and a function's parameters must name some. */
export function checkSchema(schema: JsonObject, at: string): void {
  const { properties, items, anyOf } = schema;
  if (isJsonObject(properties)) {
    if (Object.keys(properties).length === 0) throw badContent(`${at}.properties: should be non-empty for OBJECT type`);
    for (const [name, property] of Object.entries(properties)) {
      const place = `${at}.properties.${name}`;
      const read = readProto(property, SCHEMA, place);
      if (isJsonObject(read)) checkSchema(read, place);
    }
  }
  if (schema['type'] === 'OBJECT' && properties === undefined && at.includes('parameters')) {
    throw badContent(`${at}.properties: should be non-empty for OBJECT type`);
  }
  if (/^array$/i.test(textOf(schema['type'])) && items === undefined) throw badContent(`${at}.items: missing field.`);
  if (isJsonObject(items)) checkSchema(items, `${at}.items`);
  if (Array.isArray(anyOf))
    anyOf.forEach((branch, index) => isJsonObject(branch) && checkSchema(branch, `${at}.any_of[${index}]`));
}
