/** What is exported, and where to: OpenTelemetry's own environment variables, and for what they leave out the `telemetry` section. Pure. */
import { given, type Environment } from '../config/interpolate.ts';

export const SIGNALS = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof SIGNALS)[number];

/** Where one signal goes. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Sampling {
  /** Share of the traces that begin here; 0 to 1. */
  readonly share: number;
  /** A caller's own decision is followed. */
  readonly byParent: boolean;
}

/** Everything that the exporters are made of. */
export interface TelemetrySettings {
  readonly targets: Readonly<Partial<Record<Signal, Target>>>;
  readonly service: string;
  /** `OTEL_RESOURCE_ATTRIBUTES` */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
  readonly metricsEveryMs: number;
  /** Of spans and log records: what may wait, how many go together, and how long they wait for company. */
  readonly queue: { readonly most: number; readonly together: number; readonly delayMs: number };
  /** Characters of the messages of one request, in and out each; undefined: none are recorded. */
  readonly contentLimit: number | undefined;
}

/** The `telemetry` section as it was read. */
export interface TelemetrySection {
  readonly endpoint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signals?: readonly Signal[] | undefined;
  readonly sample?: number | undefined;
  readonly service_name?: string | undefined;
  readonly metrics_seconds?: number | undefined;
  readonly capture_content?: boolean | undefined;
  readonly content_limit?: number | undefined;
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_CONTENT = 16 * 1024;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];
const CONTENT_ON = ['true', 'SPAN_ONLY', 'SPAN_AND_EVENT'];
const CONTENT_OFF = ['false', 'NO_CONTENT'];
const CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** The settings of a section and an environment; undefined where nothing is to be exported. */
export function telemetrySettings(section: TelemetrySection = {}, env: Environment): TelemetrySettings | undefined {
  const read = (name: string): string | undefined => given(env[name]);
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const targets = Object.fromEntries(
    SIGNALS.flatMap((signal) => {
      const target = targetOf(signal, section, read);
      return target === undefined ? [] : [[signal, target]];
    }),
  ) as TelemetrySettings['targets'];
  if (Object.keys(targets).length === 0) return undefined;
  const attributes = pairs(read('OTEL_RESOURCE_ATTRIBUTES'));
  return {
    targets,
    service: read('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? section.service_name ?? 'model-gateway',
    attributes,
    sampling: samplingOf(section, read),
    metricsEveryMs: number(read('OTEL_METRIC_EXPORT_INTERVAL')) ?? (section.metrics_seconds ?? 60) * 1000,
    queue: {
      most: number(read('OTEL_BSP_MAX_QUEUE_SIZE')) ?? 2048,
      together: number(read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE')) ?? 512,
      delayMs: number(read('OTEL_BSP_SCHEDULE_DELAY')) ?? 5000,
    },
    contentLimit: recordsContent(section, read) ? (section.content_limit ?? DEFAULT_CONTENT) : undefined,
  };
}

/** What of the environment cannot be served, one sentence each. */
export function telemetryFaults(env: Environment): readonly string[] {
  const read = (name: string): string | undefined => given(env[name]);
  const faults: string[] = [];
  const oneOf = (name: string, words: readonly string[]): void => {
    const value = read(name);
    if (value !== undefined && !words.includes(value))
      faults.push(`${name}: '${value}' is not served; expected ${words.join(', ')}`);
  };
  for (const name of ['', ...SIGNALS.map((signal) => `${signal.toUpperCase()}_`)]) {
    oneOf(`OTEL_EXPORTER_OTLP_${name}PROTOCOL`, ['http/protobuf']);
    const endpoint = read(`OTEL_EXPORTER_OTLP_${name}ENDPOINT`);
    if (endpoint !== undefined && !/^https?:\/\//.test(endpoint))
      faults.push(`OTEL_EXPORTER_OTLP_${name}ENDPOINT: '${endpoint}' is no http or https address`);
  }
  for (const signal of SIGNALS) oneOf(`OTEL_${signal.toUpperCase()}_EXPORTER`, ['otlp', 'none']);
  oneOf('OTEL_TRACES_SAMPLER', SAMPLERS);
  const share = read('OTEL_TRACES_SAMPLER_ARG');
  if (share !== undefined && !(Number(share) >= 0 && Number(share) <= 1))
    faults.push(`OTEL_TRACES_SAMPLER_ARG: '${share}' is no number from 0 to 1`);
  oneOf(CONTENT, [...CONTENT_ON, ...CONTENT_OFF]);
  return faults;
}

type Read = (name: string) => string | undefined;

function targetOf(signal: Signal, section: TelemetrySection, read: Read): Target | undefined {
  const name = signal.toUpperCase();
  const exporter = read(`OTEL_${name}_EXPORTER`);
  if (exporter === 'none') return undefined;
  const wanted = exporter === 'otlp' || section.signals === undefined || section.signals.includes(signal);
  const own = read(`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`);
  const base =
    read('OTEL_EXPORTER_OTLP_ENDPOINT') ?? section.endpoint ?? (exporter === 'otlp' ? DEFAULT_ENDPOINT : undefined);
  if (!wanted || (own === undefined && base === undefined)) return undefined;
  return {
    // The collector's path, by OTLP.
    // oxlint-disable-next-line eslint-core/no-own-paths
    url: own ?? `${(base ?? '').replace(/\/+$/, '')}/v1/${signal}`,
    headers: {
      ...section.headers,
      ...pairs(read('OTEL_EXPORTER_OTLP_HEADERS')),
      ...pairs(read(`OTEL_EXPORTER_OTLP_${name}_HEADERS`)),
    },
    timeoutMs: number(read(`OTEL_EXPORTER_OTLP_${name}_TIMEOUT`) ?? read('OTEL_EXPORTER_OTLP_TIMEOUT')) ?? 10_000,
  };
}

function samplingOf({ sample }: TelemetrySection, read: Read): Sampling {
  const sampler = read('OTEL_TRACES_SAMPLER');
  if (sampler === undefined) return { share: sample ?? 1, byParent: true };
  const share = sampler.endsWith('traceidratio')
    ? (number(read('OTEL_TRACES_SAMPLER_ARG')) ?? 1)
    : sampler.endsWith('always_off')
      ? 0
      : 1;
  return { share, byParent: sampler.startsWith('parentbased_') };
}

function recordsContent({ capture_content: wanted = false }: TelemetrySection, read: Read): boolean {
  const word = read(CONTENT);
  return word === undefined ? wanted : CONTENT_ON.includes(word);
}

/** `key=value,key2=value%202` */
function pairs(text: string | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((pair): [string, string][] => {
      const at = pair.indexOf('=');
      return at <= 0 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function number(text: string | undefined): number | undefined {
  const value = Number(text);
  return text === undefined || !(value >= 0) ? undefined : value;
}
