/** What a generateContent request may be billed for (docs/wire/gemini-generate.md). */
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import {
  amountOf,
  costOf,
  isGiven,
  largestOf,
  newReading,
  objectsIn,
  readAudio,
  readBudget,
  readOption,
  readUntold,
  refersOutside,
  type CostReading,
  type RequestCost,
} from '../shared/request-cost.ts';

/** Tools whose work is the caller's. */
const OWN_TOOLS = new Set(['functionDeclarations', 'function_declarations']);
/** What a part may be beside text and media; the rest of its members say how. */
const TEXT_PARTS = [
  'text',
  'functionCall',
  'function_call',
  'executableCode',
  'executable_code',
  'codeExecutionResult',
  'code_execution_result',
];

/** Google's JSON takes either spelling of a name, and both at once: all that is there is read. */
function both(value: JsonObject, name: string): readonly Json[] {
  const snake = snakeOf(name);
  const found = snake === name ? [value[name]] : [value[name], value[snake]];
  return found.filter((each) => each !== undefined && each !== null);
}
const snakes = new Map<string, string>();
function snakeOf(name: string): string {
  let snake = snakes.get(name);
  if (snake === undefined) snakes.set(name, (snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
  return snake;
}
const objectsOf = (value: JsonObject, name: string): readonly JsonObject[] => both(value, name).flatMap(objectsIn);

export function readCost(body: JsonObject): RequestCost {
  const reading = newReading();
  for (const name of ['cachedContent', 'continuationToken'])
    if (both(body, name).some(isGiven)) refersOutside(reading, name);
  objectsOf(body, 'contents').forEach((content, index) => readContent(reading, content, `contents[${index}]`));
  for (const content of objectsOf(body, 'systemInstruction')) readContent(reading, content, 'systemInstruction');
  objectsOf(body, 'tools').forEach((tool, index) => readTool(reading, tool, `tools[${index}]`));
  const configs = objectsOf(body, 'generationConfig');
  const all = (name: string): readonly Json[] => configs.flatMap((config) => both(config, name));
  for (const config of configs)
    for (const thinking of objectsOf(config, 'thinkingConfig'))
      for (const budget of both(thinking, 'thinkingBudget')) readBudget(reading, budget);
  const modalities = all('responseModalities')
    .flat()
    .map((each) => (typeof each === 'string' ? each.toLowerCase() : ''));
  reading.mayAnswerAudio = modalities.length === 0 || modalities.includes('audio');
  reading.mayAnswerImages = modalities.length === 0 || modalities.includes('image');
  reading.explained ||= ['responseSchema', 'responseJsonSchema', 'responseFormat'].some((name) => all(name).length > 0);
  for (const tier of both(body, 'serviceTier'))
    readOption(
      reading,
      'service_tier',
      typeof tier === 'string' ? tier.replace(/^SERVICE_TIER_/i, '') : tier,
      'serviceTier',
    );
  return costOf(reading, body, all('maxOutputTokens'), largestOf(all('candidateCount')));
}

function readContent(reading: CostReading, content: JsonObject, place: string): void {
  objectsOf(content, 'parts').forEach((part, index) => readPart(reading, part, `${place}.parts[${index}]`));
}

function readPart(reading: CostReading, part: JsonObject, place: string): void {
  const media = objectsOf(part, 'inlineData');
  for (const each of media) readInline(reading, each, place);
  const answers = objectsOf(part, 'functionResponse');
  for (const answer of answers) readContent(reading, answer, `${place}.functionResponse`);
  const known = media.length > 0 || answers.length > 0 || TEXT_PARTS.some((name) => part[name] !== undefined);
  const isBare = part['thoughtSignature'] !== undefined || part['thought_signature'] !== undefined;
  if ((!known && !isBare) || both(part, 'fileData').length > 0 || both(part, 'toolResponse').length > 0)
    refersOutside(reading, place);
}

function readInline(reading: CostReading, media: JsonObject, place: string): void {
  const [mime] = both(media, 'mimeType');
  const { data } = media;
  const type = typeof mime === 'string' ? mime.toLowerCase() : '';
  if (type.startsWith('audio/')) readAudio(reading, data, place);
  else if (type.startsWith('text/')) return;
  else if (type.startsWith('image/')) {
    reading.images++;
    if (typeof data === 'string') reading.mediaCharacters += data.length;
  } else readUntold(reading, data, place);
}

function readTool(reading: CostReading, tool: JsonObject, place: string): void {
  for (const [name, value] of Object.entries(tool)) {
    reading.explained = true;
    if (OWN_TOOLS.has(name) || value === null) continue;
    reading.runsTools = true;
    refersOutside(reading, `${place}.${name}`);
    if (/search|maps/i.test(name)) reading.searches = Infinity;
  }
}

/** The configuration with caps that the model gives, as a member to write into a forwarded body. */
export function capEdits(body: JsonObject, most: number): Map<string, string> {
  const edits = new Map<string, string>();
  for (const name of ['generationConfig', 'generation_config']) {
    const config = body[name];
    if (!isJsonObject(config)) continue;
    const above = ['maxOutputTokens', 'max_output_tokens'].filter((cap) => amountOf(config[cap]) > most);
    if (above.length > 0)
      edits.set(name, JSON.stringify({ ...config, ...Object.fromEntries(above.map((cap) => [cap, most])) }));
  }
  return edits;
}

/** Searches that an answer says were made; undefined where it says nothing of any. */
export function countSearches(body: Json): number | undefined {
  const replies = objectsIn(body).flatMap((reply) => objectsIn(reply['candidates']));
  const groundings = replies.flatMap((candidate) => objectsIn(candidate['groundingMetadata']));
  if (groundings.length === 0) return undefined;
  return groundings.reduce(
    (sum, { webSearchQueries: queries }) => sum + (Array.isArray(queries) ? queries.length : 0),
    0,
  );
}
