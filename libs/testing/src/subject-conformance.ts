/** What every adapter of reusable subjects must do: run against the vendor twin over real sockets, in controlled time. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@model-gateway/contracts';
import type { ProviderAdapter, SubjectAdapter, SubjectCreate } from '@model-gateway/provider-kit';
import type { TwinVendor } from '@model-gateway/vendor-twin';
import { useHarness } from './harness-tests.ts';
import { SURELY_DONE_MS, TaskHarness } from './task-harness.ts';

export interface SubjectConformance {
  readonly settings?: Readonly<Record<string, string>>;
}

/** The suite every subject adapter runs. */
export function describeSubjectAdapter(
  adapter: ProviderAdapter,
  vendor: TwinVendor,
  options: SubjectConformance = {},
): void {
  const subjects = adapter.subjects as SubjectAdapter;

  describe(`${adapter.id}: subjects against the twin’s ${vendor}`, () => {
    const suite = { subjects, vendor, bench: new TaskHarness(adapter, vendor, { model: 'subjects', ...options }) };
    useHarness(suite.bench);
    itRunsJobs(suite);
    itTellsRefusals(suite);
    itReconciles(suite);
  });
}

interface SubjectSuite {
  readonly subjects: SubjectAdapter;
  readonly vendor: TwinVendor;
  readonly bench: TaskHarness;
}

function subjectCreate(bench: TaskHarness): SubjectCreate {
  return {
    name: bench.prompt.slice(0, 20),
    description: 'young woman, red coat',
    referenceType: 'image_refer',
    frontalImage: 'https://media.example/front.png',
    referImages: ['https://media.example/left.png'],
    referVideos: [],
    tags: ['o_102'],
    dedupeKey: bench.dedupeKey,
    extra: {},
  };
}

function itRunsJobs({ subjects, vendor, bench }: SubjectSuite): void {
  it('starts, runs, and ends with ids as text in the envelope of the service document', async () => {
    const { ticket } = await subjects.start(subjectCreate(bench), bench.upstream());
    const running = await subjects.check(ticket, bench.upstream());
    expect(running).toMatchObject({ state: 'running', payload: { Response: { Status: 'PROCESSING' } } });
    bench.pass(SURELY_DONE_MS);
    const done = await subjects.check(ticket, bench.upstream());
    if (done.state !== 'succeeded') throw new Error(`it is ${done.state}, not succeeded`);
    expect(done.subjectIds[0]).toMatch(/^\d+$/);
    expect(done.payload).toMatchObject({
      Response: {
        TaskType: 'CreateAigcAdvancedCustomElement',
        Status: 'FINISH',
        CreateAigcAdvancedCustomElementTask: {
          Status: 'FINISH',
          ErrCode: 0,
          Progress: 100,
          Input: { ElementName: subjectCreate(bench).name, ReferenceType: 'image_refer' },
          Output: { InfoList: [{ ElementId: done.subjectIds[0] }] },
        },
      },
    });
    expect(bench.newJobs()).toHaveLength(1);
  });

  it('a job that fails says so, in the envelope too', async () => {
    bench.twin.faults.next(vendor, 'subject', { kind: 'fail' });
    const { ticket } = await subjects.start(subjectCreate(bench), bench.upstream());
    bench.pass(SURELY_DONE_MS);
    const ended = await subjects.check(ticket, bench.upstream());
    if (ended.state !== 'failed') throw new Error(`it is ${ended.state}, not failed`);
    const payload = JSON.stringify(ended.payload);
    expect(payload).toMatch(/"ErrCode":(?!0[,}])-?\d/);
    expect(payload).toContain('"Status":"FINISH"');
  });
}

function itTellsRefusals({ subjects, vendor, bench }: SubjectSuite): void {
  it('429 on create took nothing; no answer may have taken it', async () => {
    bench.twin.faults.next(vendor, 'subject', { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
    const limited = await bench.refused(
      subjects.start(subjectCreate(bench), bench.upstream()),
      'upstream_rate_limited',
    );
    expect(limited.details).toMatchObject({ taken: 'no', retryAfterSeconds: 7 });
    bench.twin.faults.next(vendor, 'subject', { kind: 'no-answer' });
    const lost = await bench.refused(subjects.start(subjectCreate(bench), bench.upstream()), [
      'upstream_unavailable',
      'upstream_malformed',
    ]);
    expect(lost.details.taken).toBe('unknown');
  });

  it('an unknown task is missing', async () => {
    const { ticket } = await subjects.start(subjectCreate(bench), bench.upstream());
    const id = bench.newJobs()[0]?.id ?? '';
    const foreign = JSON.parse(JSON.stringify(ticket).replaceAll(id, `no-such-${id}`)) as JsonObject;
    expect(await subjects.check(foreign, bench.upstream())).toMatchObject({ state: 'missing' });
  });
}

function itReconciles({ subjects, vendor, bench }: SubjectSuite): void {
  const { reconcile } = subjects;
  if (reconcile === undefined) return;

  it('finds the job of an unanswered create by its key', async () => {
    bench.twin.faults.next(vendor, 'subject', { kind: 'no-answer' });
    const submittedAt = bench.now();
    await bench.refused(subjects.start(subjectCreate(bench), bench.upstream()), [
      'upstream_unavailable',
      'upstream_malformed',
    ]);
    const known = { dedupeKey: bench.dedupeKey, submittedAt };
    const ticket = await reconcile.call(subjects, known, bench.upstream());
    if (ticket === undefined) throw new Error('not found');
    bench.pass(SURELY_DONE_MS);
    expect((await subjects.check(ticket, bench.upstream())).state).toBe('succeeded');
  });
}
