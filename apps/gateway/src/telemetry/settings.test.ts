import { describe, expect, it } from 'vitest';
import { telemetryFaults, telemetrySettings, type TelemetrySection } from './settings.ts';

const of = (section: TelemetrySection, env: Readonly<Record<string, string>> = {}) => telemetrySettings(section, env);

describe('what is exported', () => {
  it('nothing, where no collector is named', () => {
    expect(of({})).toBeUndefined();
    expect(of({ sample: 0.5, signals: ['traces'] })).toBeUndefined();
  });

  it('every signal, below the address', () => {
    expect(of({ endpoint: 'http://c:4318/base/' })?.targets).toMatchObject({
      traces: { url: 'http://c:4318/base/v1/traces' },
      metrics: { url: 'http://c:4318/base/v1/metrics' },
      logs: { url: 'http://c:4318/base/v1/logs' },
    });
  });

  it('the environment wins over the file; the address of one signal is taken as it is', () => {
    const settings = of(
      { endpoint: 'http://file:1', headers: { a: '1', b: '2' }, service_name: 'file', sample: 0.5 },
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:2',
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://logs:3/otlp',
        OTEL_EXPORTER_OTLP_HEADERS: 'b=3,c=x%20y',
        OTEL_SERVICE_NAME: 'env',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_METRICS_EXPORTER: 'none',
      },
    );
    expect(settings?.targets).toEqual({
      traces: { url: 'http://env:2/v1/traces', headers: { a: '1', b: '3', c: 'x y' }, timeoutMs: 10_000 },
      logs: { url: 'http://logs:3/otlp', headers: { a: '1', b: '3', c: 'x y' }, timeoutMs: 10_000 },
    });
    expect(settings).toMatchObject({ service: 'env', sampling: { share: 0.25, byParent: false } });
  });

  it('signals of the section; one that is asked for by name needs no address', () => {
    expect(Object.keys(of({ endpoint: 'http://c', signals: ['metrics'] })?.targets ?? {})).toEqual(['metrics']);
    expect(of({}, { OTEL_TRACES_EXPORTER: 'otlp' })?.targets).toMatchObject({
      traces: { url: 'http://localhost:4318/v1/traces' },
    });
  });

  it('nothing, where the SDK is disabled', () => {
    expect(of({ endpoint: 'http://c' }, { OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  });
});

it.each([
  { section: {}, env: {}, limit: undefined },
  { section: { capture_content: true }, env: {}, limit: 16_384 },
  { section: { capture_content: true, content_limit: 10 }, env: {}, limit: 10 },
  { section: {}, env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY' }, limit: 16_384 },
  {
    section: { capture_content: true },
    env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'NO_CONTENT' },
    limit: undefined,
  },
])('messages are recorded only where that is said: $section $env', ({ section, env, limit }) => {
  expect(of({ endpoint: 'http://c', ...section }, env)?.contentLimit).toBe(limit);
});

it.each([
  { env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, says: 'expected http/protobuf' },
  { env: { OTEL_TRACES_EXPORTER: 'zipkin' }, says: 'expected otlp, none' },
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, says: 'no http or https address' },
  { env: { OTEL_TRACES_SAMPLER: 'jaeger_remote' }, says: 'parentbased_always_on' },
  { env: { OTEL_TRACES_SAMPLER_ARG: '7' }, says: 'no number from 0 to 1' },
  { env: { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'EVENT_ONLY' }, says: 'SPAN_ONLY' },
])('what cannot be served is a fault: $env', ({ env, says }) => {
  const faults = telemetryFaults(env);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(Object.keys(env)[0]);
  expect(faults[0]).toContain(says);
});
