/** The built-in catalogue as a page: every model with its price, its limits, what it takes, and a sample of what media models make. */
import type { MODEL_KINDS } from '@model-gateway/contracts';
import { parse } from 'yaml';

interface Durations {
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly number[];
  readonly default?: number;
}
interface Limits {
  readonly max_input_tokens?: number;
  readonly max_output_tokens?: number;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly max_images?: number;
  readonly sizes?: readonly string[];
  readonly min_pixels?: number;
  readonly max_pixels?: number;
  readonly durations?: Durations;
  readonly resolutions?: readonly string[];
  readonly ratios?: readonly string[];
  readonly max_seconds?: number;
  readonly mode?: string;
  readonly omni?: boolean;
  readonly formats?: readonly string[];
  readonly max_characters?: number;
  readonly max_bytes?: number;
  readonly translates?: boolean;
  readonly dimensions?: Durations;
  readonly max_documents?: number;
}
type Price = Readonly<Record<string, number | Readonly<Record<string, number>> | undefined>>;
export interface CatalogueModel {
  readonly code: string;
  readonly kind: (typeof MODEL_KINDS)[number];
  readonly body?: string;
  readonly description?: string;
  readonly voices?: readonly string[];
  readonly limits?: Limits;
  readonly price?: Price;
}

export function readCatalogue(yaml: string): readonly CatalogueModel[] {
  return (parse(yaml) as { readonly models: readonly CatalogueModel[] }).models;
}

/** What a sample of a model is: a file of the portal's, made by the twin. Undefined for models that write text. */
export function sampleOf({
  code,
  kind,
  limits,
  price,
}: CatalogueModel): { readonly file: string; readonly kind: 'video' | 'image' | 'speech' } | undefined {
  const name = code.replace(/[^\w.-]/g, '-');
  if (kind === 'video') return { file: `${name}.mp4`, kind: 'video' };
  if (kind === 'image' || kind === 'image-edit' || limits?.outputs?.includes('image') === true)
    return { file: `${name}.webp`, kind: 'image' };
  if (kind === 'speech' || price?.['output_audio'] !== undefined) return { file: `${name}.mp3`, kind: 'speech' };
  return undefined;
}

/** The page, as the guides are written. */
export function catalogueMarkdown(models: readonly CatalogueModel[]): string {
  const of = (...kinds: readonly string[]): readonly CatalogueModel[] =>
    models.filter(({ kind }) => kinds.includes(kind));
  const making = (kind: string): readonly CatalogueModel[] => models.filter((model) => sampleOf(model)?.kind === kind);
  const rows = (given: readonly CatalogueModel[], row: (model: CatalogueModel) => readonly string[]): string =>
    given.map((model) => `| ${row(model).join(' | ')} |`).join('\n');
  return `# Catalogue

The models that the gateway has from the start, with their prices in US dollars. A deployment adds models, changes prices and takes models away: [\`GET /v1/models\`](ref:listModels) is what yours has. Prices are examples of November 2026, to be checked against your contracts with the vendors; [Models](guides/models.md) says how names work and what each body looks like.

Pictures, films and sounds on this page were made by the built-in twin, which answers test keys: they show that each model can be tried, not what its vendor would make.

## Chat

Through [chat completions](ref:createChatCompletion), [responses](ref:createResponse), [messages](ref:createMessage) and [generateContent](ref:generateContent), each of them. Prices are for a million tokens.

| Model | Takes | Input | From cache | Output | Longest input and output |
| --- | --- | --- | --- | --- | --- |
${rows(of('chat'), (model) => [
  named(model),
  words(model.limits?.inputs ?? ['text']),
  dollars(model.price?.['input']),
  dollars(model.price?.['cached_input']),
  [dollars(model.price?.['output']), ...outputs(model.price ?? {})].join('; '),
  `${tokens(model.limits?.max_input_tokens)} and ${tokens(model.limits?.max_output_tokens)}`,
])}

## Images

Through [\`POST /v1/images/generations\`](ref:createImage) and, to change pictures, [\`POST /v1/images/edits\`](ref:editImage); \`gemini-3-pro-image\` through chat, as [\`generateContent\`](ref:generateContent) has it.

| Sample | Model | Takes | Price | Limits |
| --- | --- | --- | --- | --- |
${rows(making('image'), (model) => [shown(model), named(model), pictures(model), price(model.price ?? {}), imageLimits(model.limits ?? {})])}

## Video

Tasks, through [\`POST /v1/video/generations\`](ref:createVideoTask) or [\`POST /v1/videos\`](ref:createVideo). The body's shape is the model's: [Models](guides/models.md#video-families).

| Sample | Model | Takes | Price | Limits |
| --- | --- | --- | --- | --- |
${rows(making('video'), (model) => [shown(model), `${named(model)} Body: \`${model.body ?? ''}\`.`, videoInputs(model), price(model.price ?? {}), videoLimits(model.limits ?? {})])}

## Speech

Through [\`POST /v1/audio/speech\`](ref:createSpeech) and chat completions with \`audio\`.

| Sample | Model | Voices | Price | Limits |
| --- | --- | --- | --- | --- |
${rows(making('speech'), (model) => [shown(model), named(model), (model.voices ?? []).map((voice) => `\`${voice}\``).join(', '), price(model.price ?? {}), [words(model.limits?.formats ?? []), ...(model.limits?.max_characters === undefined ? [] : [`${count(model.limits.max_characters)} characters`])].join('; ')])}

## Transcription

Through [\`POST /v1/audio/transcriptions\`](ref:createTranscription), and where it translates [\`POST /v1/audio/translations\`](ref:createTranslation).

| Model | Answers in | Price | Limits |
| --- | --- | --- | --- |
${rows(of('transcription'), (model) => [named(model), words(model.limits?.formats ?? []), price(model.price ?? {}), recordingLimits(model.limits ?? {})])}
${otherKinds(models)
  .map(
    (kind) => `
## ${kind.charAt(0).toUpperCase()}${kind.slice(1)}

| Model | Price | Limits |
| --- | --- | --- |
${rows(of(kind), (model) => [named(model), price(model.price ?? {}), otherLimits(model.limits ?? {})])}
`,
  )
  .join('')}`;
}

/** Kinds that have no part of their own above. */
function otherKinds(models: readonly CatalogueModel[]): readonly string[] {
  const above = new Set<string>(['chat', 'image', 'image-edit', 'video', 'speech', 'transcription']);
  return [...new Set(models.map(({ kind }) => kind))].filter((kind) => !above.has(kind));
}

/** `8,192 tokens of a text; vectors of 1 to 1536 numbers` */
function otherLimits({ max_input_tokens: most, dimensions, max_documents: documents, inputs }: Limits): string {
  const { min = 1, max, values } = dimensions ?? {};
  const lengths =
    values === undefined ? (max === undefined ? undefined : `${min} to ${max}`) : words(values.map(String));
  return [
    ...(inputs === undefined ? [] : [words(inputs)]),
    ...(most === undefined ? [] : [`${count(most)} tokens of a text`]),
    ...(lengths === undefined ? [] : [`vectors of ${lengths} numbers`]),
    ...(documents === undefined ? [] : [`${count(documents)} documents`]),
  ].join('; ');
}

function recordingLimits({ max_bytes: bytes, max_seconds: seconds, translates }: Limits): string {
  return [
    ...(bytes === undefined ? [] : [`${Math.round(bytes / 1024 / 1024)} MB`]),
    ...(seconds === undefined ? [] : [`${count(seconds)} seconds`]),
    ...(translates === true ? ['translates into English'] : []),
  ].join('; ');
}

function named({ code, description = '' }: CatalogueModel): string {
  return `**\`${code}\`** ${description.replace(/\|/g, '\\|')}`;
}

function shown(model: CatalogueModel): string {
  const sample = sampleOf(model);
  return sample === undefined ? '' : `![A sample of ${model.code}, by the twin](media/${sample.file})`;
}

function words(given: readonly string[]): string {
  return given.join(', ');
}
function count(value: number): string {
  return value.toLocaleString('en-US');
}
function tokens(value: number | undefined): string {
  return value === undefined ? 'its own' : count(value);
}
function dollars(value: unknown): string {
  if (typeof value !== 'number') return '';
  return `$${value.toFixed(Math.max(2, /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0))}`;
}

/** What an answer may cost beside its text. */
function outputs(given: Price): readonly string[] {
  const names: readonly (readonly [string, string])[] = [
    ['output_image', 'of pictures'],
    ['output_audio', 'of sound'],
    ['input_audio', 'for sound in'],
  ];
  return names.flatMap(([name, text]) => (given[name] === undefined ? [] : [`${dollars(given[name])} ${text}`]));
}

const UNITS: readonly (readonly [string, string])[] = [
  ['image', 'a picture'],
  ['second', 'a second'],
  ['video', 'a film'],
  ['character', 'for a million characters'],
  ['search_unit', 'a query over up to 100 documents'],
  ['input', 'for a million tokens of text'],
  ['input_image', 'for a million tokens of pictures in'],
  ['output', 'for a million tokens out'],
  ['output_image', 'for a million tokens of pictures out'],
  ['output_audio', 'for a million tokens of sound out'],
  ['output_tokens', 'for a million tokens out'],
];
function price(given: Price): string {
  const factors = Object.entries(given['resolution_factors'] ?? {});
  return [
    ...UNITS.flatMap(([name, text]) => (given[name] === undefined ? [] : [`${dollars(given[name])} ${text}`])),
    ...factors.map(([resolution, factor]) => `${resolution} × ${factor}`),
    ...(typeof given['audio_factor'] === 'number' ? [`with sound × ${given['audio_factor']}`] : []),
  ].join('; ');
}

function pictures({ kind, limits = {} }: CatalogueModel): string {
  if (limits.max_images === undefined) return kind === 'image-edit' ? 'text, pictures' : 'text';
  return `text, up to ${limits.max_images} pictures`;
}
function imageLimits({ sizes, min_pixels: least, max_pixels: most }: Limits): string {
  return [
    ...(sizes === undefined ? [] : [words(sizes)]),
    ...(least === undefined || most === undefined ? [] : [`${count(least)} to ${count(most)} pixels`]),
  ].join('; ');
}

const OF_MODE: Readonly<Record<string, string>> = {
  t2v: 'text',
  i2v: 'text, a first frame',
  r2v: 'text, one to nine pictures',
  'video-edit': 'text, a film',
};
const OF_BODY: Readonly<Record<string, string>> = {
  content: 'text, pictures, films, sounds',
  'image-urls': 'text, pictures',
  omni: 'text, pictures',
  prompt: 'text, frames',
  seconds: 'text, a picture',
};
function videoInputs({ body = '', limits = {} }: CatalogueModel): string {
  const { mode, omni, max_images: most } = limits;
  const base = OF_MODE[mode ?? ''] ?? OF_BODY[body] ?? 'text';
  if (omni === true) return `${base}, subjects`;
  return most === undefined ? base : base.replace('pictures', `up to ${most} pictures`);
}
function videoLimits({ durations, resolutions, sizes, ratios, max_seconds: longest }: Limits): string {
  const { min, max, values, default: usual } = durations ?? {};
  const seconds =
    values === undefined ? (max === undefined ? undefined : `${min ?? 1}–${max}`) : words(values.map(String));
  return [
    ...(seconds === undefined ? [] : [`${seconds} s${usual === undefined ? '' : ` (${usual} when none is said)`}`]),
    ...(longest === undefined ? [] : [`up to ${longest} s`]),
    ...(resolutions === undefined ? [] : [words(resolutions)]),
    ...(sizes === undefined ? [] : [words(sizes)]),
    ...(ratios === undefined ? [] : [words(ratios)]),
  ].join('; ');
}
