import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import type { Exchange } from '../core/exchange.ts';
import type { Talk, TalkTool } from '../chat/talk.ts';
import { textOf } from '../core/values.ts';
import { partsOf, readContents, turnsOf } from './contents.ts';
import { withKeptContent } from './cached-contents.ts';
import { badContent, refuseUnknownModel } from './errors.ts';
import { abilitiesOf, type GeminiAbilities } from './models.ts';
import { checkSchema, COUNT_REQUEST, readProto, REQUEST } from './proto.ts';

export interface GeminiOrder {
  readonly talk: Talk;
  readonly abilities: GeminiAbilities;
  readonly showsThoughts: boolean;
  readonly candidates: number;
  readonly modalities: ReadonlySet<string>;
  readonly image: { readonly aspectRatio: string; readonly imageSize: string };
  readonly voice: string;
  /** Of what is kept by name, of which the request begins with one. */
  readonly keptTokens: number;
  readonly continuationToken: string | undefined;
}

/** Reads a generateContent request as strictly as the vendor does. */
export function readGenerate(exchange: Exchange): GeminiOrder {
  const body = readProto(parse(exchange), REQUEST, '');
  return orderOf(exchange, isJsonObject(body) ? body : {});
}

/** Reads a countTokens request: contents, or a whole generateContent request. */
export function readCount(exchange: Exchange): Talk {
  const body = readProto(parse(exchange), COUNT_REQUEST, '');
  const request = isJsonObject(body) ? body : {};
  const whole = request['generateContentRequest'];
  return orderOf(exchange, isJsonObject(whole) ? whole : request).talk;
}

function parse(exchange: Exchange): Json {
  try {
    return JSON.parse(exchange.body.toString('utf8')) as Json;
  } catch {
    throw badContent('Invalid JSON payload received. Unexpected token.');
  }
}

function orderOf({ stage, params }: Exchange, asked: JsonObject): GeminiOrder {
  const model = params['model'] ?? '';
  refuseUnknownModel(model);
  const { body, kept } = withKeptContent(stage, asked, model);
  const abilities = abilitiesOf(model);
  const contents = list(body, 'contents');
  if (contents.length === 0) throw badContent('* GenerateContentRequest.contents: contents is not specified');
  const read = readContents(contents, abilities);
  const config = object(body, 'generationConfig');
  checkConfig(config, abilities);
  const { tools, search } = readTools(body);
  const thinking = readThinking(object(config, 'thinkingConfig'), abilities);
  const modalities = new Set(
    (list(config, 'responseModalities') as unknown as string[]).map((word) => word.toUpperCase()),
  );
  if ((modalities.has('IMAGE') && !abilities.draws) || (modalities.has('AUDIO') && !abilities.speaks)) {
    throw badContent(
      `Model does not support the requested response modalities: ${[...modalities].join(',').toLowerCase()}`,
    );
  }
  const cap = config['maxOutputTokens'];
  const voiceConfig = object(object(object(config, 'speechConfig'), 'voiceConfig'), 'prebuiltVoiceConfig');
  const imageConfig = object(config, 'imageConfig');
  const token = body['continuationToken'];
  return {
    talk: {
      model,
      system: partsOf(object(body, 'systemInstruction'))
        .map((part) => textOf(part['text']))
        .join('\n'),
      turns: turnsOf(read),
      tools,
      choice: readChoice(body, tools),
      parallel: true,
      format: readFormat(config),
      thinks: thinking.on,
      ...(typeof cap === 'number' && { mostTokens: cap }),
      stop: list(config, 'stopSequences') as unknown as string[],
      search,
    },
    abilities,
    showsThoughts: thinking.shown,
    candidates: typeof config['candidateCount'] === 'number' ? config['candidateCount'] : 1,
    modalities: modalities.size > 0 ? modalities : new Set(abilities.draws ? ['TEXT', 'IMAGE'] : ['TEXT']),
    image: {
      aspectRatio: textOf(imageConfig['aspectRatio']) || '1:1',
      imageSize: textOf(imageConfig['imageSize']) || '1K',
    },
    voice: textOf(voiceConfig['voiceName']) || 'Kore',
    keptTokens: kept,
    continuationToken: typeof token === 'string' ? token : undefined,
  };
}

function object(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isJsonObject(value) ? value : {};
}

function list(from: JsonObject, name: string): JsonObject[] {
  const value = from[name];
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

const BOUNDS: readonly (readonly [name: string, least: number, most: number])[] = [
  ['temperature', 0, 2],
  ['topP', 0, 1],
  ['topK', 1, 1000],
  ['candidateCount', 1, 8],
  ['maxOutputTokens', 1, 1_000_000],
  ['presencePenalty', -2, 2],
  ['frequencyPenalty', -2, 2],
];
const RATIOS = '1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9 1:4 4:1 1:8 8:1'.split(' ');

function checkConfig(config: JsonObject, abilities: GeminiAbilities): void {
  for (const [name, least, most] of BOUNDS) {
    const value = config[name];
    if (typeof value === 'number' && (value < least || value > most)) {
      throw badContent(
        `* GenerateContentRequest.generation_config.${name}: ${name} must be in the range [${least}, ${most}].`,
      );
    }
  }
  if (list(config, 'stopSequences').length > 5)
    throw badContent('* GenerateContentRequest.generation_config.stop_sequences: at most 5.');
  const { aspectRatio, imageSize } = object(config, 'imageConfig');
  if (config['imageConfig'] !== undefined && !abilities.draws)
    throw badContent('Image config is not supported for this model.');
  if (aspectRatio !== undefined && !RATIOS.includes(textOf(aspectRatio)))
    throw badContent(`aspect_ratio must be one of ${RATIOS.join(', ')}.`);
  if (imageSize !== undefined && !['512', '1K', '2K', '4K'].includes(textOf(imageSize)))
    throw badContent('image_size must be one of 512, 1K, 2K, 4K.');
}

function readThinking(config: JsonObject, abilities: GeminiAbilities): { on: boolean; shown: boolean } {
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = config;
  if (budget !== undefined && level !== undefined) {
    throw badContent('You can only set one of thinking budget and thinking level.');
  }
  if (abilities.thinks === 'never' && Object.keys(config).length > 0)
    throw badContent('Thinking is not enabled for this model.');
  if (level !== undefined) {
    if (!abilities.signs) throw badContent('Thinking level is not supported for this model.');
    const word = textOf(level).toUpperCase();
    const allowed = [...(abilities.minimalLevel ? ['MINIMAL'] : []), 'LOW', 'MEDIUM', 'HIGH'];
    if (!allowed.includes(word)) throw badContent(`Thinking level ${word} is not supported for this model.`);
  }
  if (budget === 0 && abilities.thinks === 'always') {
    throw badContent('Budget 0 is invalid. This model only works in thinking mode.');
  }
  const on = abilities.thinks !== 'never' && budget !== 0;
  return { on, shown: on && includeThoughts === true };
}

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

function readTools(body: JsonObject): { tools: TalkTool[]; search: boolean } {
  const tools: TalkTool[] = [];
  let search = false;
  list(body, 'tools').forEach((tool, index) => {
    list(tool, 'functionDeclarations').forEach((declaration, at) => {
      tools.push(readFunction(declaration, `tools[${index}].function_declarations[${at}]`));
    });
    search ||= tool['googleSearch'] !== undefined || tool['googleSearchRetrieval'] !== undefined;
  });
  const hosted = list(body, 'tools').some((tool) => Object.keys(tool).some((name) => name !== 'functionDeclarations'));
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badContent(`Duplicate function declaration found: ${twice}`);
  if (hosted && tools.length > 0 && object(body, 'toolConfig')['includeServerSideToolInvocations'] !== true) {
    throw badContent(
      'Built-in tools and function calling cannot be combined without tool_config.include_server_side_tool_invocations.',
    );
  }
  return { tools, search };
}

function readFunction(declaration: JsonObject, at: string): TalkTool {
  const { name, parameters, parametersJsonSchema } = declaration;
  if (typeof name !== 'string' || !FUNCTION_NAME.test(name)) {
    throw badContent(
      `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. ` +
        'Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
    );
  }
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    throw badContent(`* GenerateContentRequest.${at}: only one of parameters and parameters_json_schema may be set.`);
  }
  if (isJsonObject(parameters)) {
    checkSchema(parameters, `${at}.parameters`);
    return { name, schema: parameters };
  }
  return { name, schema: isJsonObject(parametersJsonSchema) ? parametersJsonSchema : {} };
}

function readChoice(body: JsonObject, tools: readonly TalkTool[]): Talk['choice'] {
  const config = object(object(body, 'toolConfig'), 'functionCallingConfig');
  const allowed = list(config, 'allowedFunctionNames') as unknown as string[];
  const mode = config['mode'];
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    throw badContent('Please set allowed_function_names only when function calling mode is ANY or VALIDATED.');
  }
  for (const name of allowed) {
    if (!tools.some((tool) => tool.name === name))
      throw badContent(`allowed_function_names: function ${name} is not declared.`);
  }
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return 'auto';
  if (tools.length === 0) throw badContent('Function calling mode ANY needs function declarations.');
  return allowed.length > 0 ? allowed : 'required';
}

function readFormat(config: JsonObject): Talk['format'] {
  const { responseSchema, responseJsonSchema, responseMimeType: type } = config;
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw badContent('Only one of response_schema and response_json_schema may be set.');
  }
  const schema = responseSchema ?? responseJsonSchema;
  if (schema !== undefined && type !== 'application/json' && type !== 'text/x.enum') {
    throw badContent('Response schema needs a response mime type of application/json.');
  }
  if (isJsonObject(responseSchema)) checkSchema(responseSchema, 'generation_config.response_schema');
  if (isJsonObject(schema)) return { schema };
  return type === 'application/json' ? 'json' : 'text';
}
