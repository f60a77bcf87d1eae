/** The forms of transcriptions and translations, checked before the file is looked at. */
import { GatewayError } from '@model-gateway/contracts';
import type { TranscriptForm, TranscriptionCreate } from '@model-gateway/provider-kit';
import type { ModelRow } from '../../catalogue.ts';
import { translates } from './expected.ts';

const FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const;
/** What callers may ask for. */
export type TranscriptFormat = (typeof FORMATS)[number];
/** Those that cannot come piece by piece. */
const WHOLE: readonly TranscriptFormat[] = ['srt', 'vtt', 'verbose_json'];
const INCLUDED = ['logprobs'];
const OWN = ['model', 'prompt', 'response_format', 'temperature'];
const OF_TRANSCRIPTIONS = ['language', 'timestamp_granularities', 'include', 'stream'];
/** Another recording beside the file would be heard, and not be measured. */
const ANOTHER_RECORDING = /(?:^|[_-])(?:url|uri|link|file|files|audio|media|input)(?:$|[_[-])/i;

/** A form that was read: every field as often as it came, and files on disk. */
export interface RecordingForm {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly RecordingFile[];
}
export interface RecordingFile {
  readonly name: string;
  readonly size: number;
  /** Where it lies while the request runs. */
  readonly path: string;
  open(): AsyncIterable<Uint8Array>;
}

/** What is asked for, before the file was measured. */
export interface TranscriptionAsk extends Omit<TranscriptionCreate, 'file' | 'seconds'> {
  readonly file: RecordingFile;
  readonly format: TranscriptFormat;
  readonly stream: boolean;
}

/** Reads a form. Throws `invalid_request` naming the field. */
export function readTranscriptionForm(
  { values, files }: RecordingForm,
  row: ModelRow,
  task: TranscriptionCreate['task'],
): TranscriptionAsk {
  if (task === 'translate' && !translates(row))
    throw wrong('model', `the model '${row.code}' only transcribes; it does not translate`);
  const one = (name: string): string | undefined => oneOf(values, name);
  const many = (name: string): readonly string[] => manyOf(values, name);
  const transcribes = task === 'transcribe';
  const stream = transcribes && flagOf(one('stream'), 'stream');
  const format = formatOf(one('response_format'), row, { stream, transcribes });
  const granularities = transcribes ? [...new Set(many('timestamp_granularities'))] : [];
  if (granularities.length > 0 && format !== 'verbose_json')
    throw wrong('timestamp_granularities[]', 'times are in verbose_json alone; set response_format to it');
  const language = transcribes ? one('language') : undefined;
  const prompt = one('prompt');
  const temperature = one('temperature');
  return {
    task,
    file: fileOf(files),
    format,
    form: formFor(format, row),
    stream,
    granularities,
    include: transcribes ? includedOf(many('include'), format, row) : [],
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(temperature !== undefined && { temperature }),
    extra: extraOf(values, transcribes ? [...OWN, ...OF_TRANSCRIPTIONS] : OWN),
  };
}

function fileOf(files: readonly RecordingFile[]): RecordingFile {
  const stranger = files.find(({ name }) => name !== 'file');
  if (stranger !== undefined)
    throw wrong(stranger.name, `${stranger.name} is no file field here; the recording goes into file`);
  const [file, another] = files;
  if (file === undefined) throw wrong('file', 'file is missing, or was sent as text; send the recording as a file');
  if (another !== undefined) throw wrong('file', 'file is there twice; send one recording');
  if (file.size === 0) throw wrong('file', 'file is empty');
  return file;
}

function formatOf(
  said: string | undefined,
  row: ModelRow,
  { stream, transcribes }: { readonly stream: boolean; readonly transcribes: boolean },
): TranscriptFormat {
  const made = formatsOf(row).filter((each) => transcribes || each !== 'diarized_json');
  const format = FORMATS.find((each) => each === (said ?? 'json'));
  if (format === undefined || !made.includes(format))
    throw wrong(
      'response_format',
      `response_format is '${(said ?? 'json').slice(0, 60)}'; this model has ${made.join(', ')}`,
    );
  if (stream && WHOLE.includes(format)) {
    const streamed = made.filter((each) => !WHOLE.includes(each));
    throw wrong(
      'response_format',
      `response_format is ${format}, which cannot be streamed; ask for ${streamed.join(', ')}`,
    );
  }
  return format;
}

/** Without `formats` in the row the vendor says what it does not make. */
function formatsOf({ limits: { formats } }: ModelRow): readonly TranscriptFormat[] {
  return Array.isArray(formats) ? FORMATS.filter((each) => formats.includes(each)) : FORMATS;
}

/** What the vendor is asked for: subtitles are made of segments, and those have times and perhaps speakers. */
function formFor(format: TranscriptFormat, row: ModelRow): TranscriptForm {
  if (format === 'text') return 'json';
  if (format !== 'srt' && format !== 'vtt') return format;
  return formatsOf(row).includes('verbose_json') ? 'verbose_json' : 'diarized_json';
}

function includedOf(given: readonly string[], format: TranscriptFormat, { limits }: ModelRow): readonly string[] {
  const { include } = limits;
  const known = Array.isArray(include) ? INCLUDED.filter((each) => include.includes(each)) : INCLUDED;
  if (given.length > 0 && known.length === 0) throw wrong('include[]', 'include[]: this model has nothing to include');
  const included = among(given, known, 'include[]');
  if (included.length > 0 && format !== 'json')
    throw wrong('include[]', `include[] is for response_format json; it is ${format}`);
  return included;
}

function flagOf(text: string | undefined, name: string): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw wrong(name, `${name} is '${text.slice(0, 60)}'; it must be true or false`);
}

function among(given: readonly string[], known: readonly string[], name: string): readonly string[] {
  const stranger = given.find((each) => !known.includes(each));
  if (stranger === undefined) return [...new Set(given)];
  throw wrong(name, `${name} is '${stranger.slice(0, 60)}'; it must be ${known.join(' or ')}`);
}

/** Empty is as absent: forms of web pages send every field. */
function oneOf(values: RecordingForm['values'], name: string): string | undefined {
  const [value, another] = values.get(name) ?? [];
  if (another !== undefined) throw wrong(name, `${name} is there twice; send it once`);
  return value === '' ? undefined : value;
}

/** As `name[]`, `name[0]` or `name`, once or several times. */
function manyOf(values: RecordingForm['values'], name: string): readonly string[] {
  return [...values].flatMap(([field, all]) => (baseOf(field) === name ? all : []));
}

function baseOf(field: string): string {
  return field.replace(/\[\d*\]$/, '');
}

function extraOf(values: RecordingForm['values'], known: readonly string[]): TranscriptionCreate['extra'] {
  return [...values].flatMap(([name, all]) => {
    if (known.includes(baseOf(name))) return [];
    if (ANOTHER_RECORDING.test(baseOf(name)))
      throw wrong(name, `${name} is no field here; the recording goes into file, as a file`);
    return all.map((value) => [name, value] as const);
  });
}

function wrong(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}
