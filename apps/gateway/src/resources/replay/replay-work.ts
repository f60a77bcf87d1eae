/** Sends a sample of recorded requests to another model, with a key that can spend no more than the budget. */
import {
  isJsonObject,
  moneyLimitOf,
  OPERATIONS,
  type components,
  type Json,
  type JsonObject,
} from '@model-gateway/contracts';
import { CommandFault, misuse } from '../../commands/command-fault.ts';
import { wholeTime, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator, type Work } from '../../commands/operator.ts';
import { count, counted, dollars, record, type Paint } from '../../commands/output.ts';
import { operatorTarget, type Target } from '../../commands/target.ts';
import { note, type Terminal } from '../../commands/terminal.ts';
import { answerOf, differences, judgeBody, repeated, verdictOf, type ComparedAnswer, type Repeated, type Verdict } from './answers.ts'; // prettier-ignore

type Schemas = components['schemas'];

const HOUR_MS = 3_600_000;
/** Requests that are looked at for their content. */
const MOST_LOOKED_AT = 500;
const DEADLINE_MS = 300_000;
const SHOWN_CHARACTERS = 600;
/** Over what the bodies name: budgets and limits of the people who asked first are not touched. */
const IDENTITY = { 'x-gateway-user': 'replay', 'x-gateway-session': 'replay', 'x-gateway-run': 'replay' } as const;
const CHAT = { path: OPERATIONS.createChatCompletion.path, dialect: 'openai-chat' } as const;

export interface ReplayOptions extends OperatorOptions {
  readonly key: number;
  readonly model: string;
  readonly since: string;
  readonly sample?: number;
  readonly budget?: number;
  readonly owner?: number;
  readonly twin?: boolean;
  readonly judge?: string;
}

/** One request of the sample. */
interface Compared {
  readonly request_id: string;
  readonly replay_id: string;
  readonly asked: string;
  readonly before: ComparedAnswer;
  readonly after: ComparedAnswer;
  readonly differences: readonly string[];
  readonly ms: { readonly before: number; readonly after: number };
  readonly usd: { readonly before: number; readonly after: number };
  readonly opinion: Verdict | null;
}

interface Sample {
  readonly compared: readonly Compared[];
  /** Requests whose content is not kept, or not all of it. */
  readonly without_content: number;
  readonly incomplete: number;
  /** Why there are fewer than were asked for; null: there are not. */
  readonly stopped: string | null;
  readonly refused: readonly string[];
}

export async function replay(terminal: Terminal, options: ReplayOptions): Promise<void> {
  const target = operatorTarget(terminal.env, options);
  const { sample, budget, twin = false } = options;
  if (sample !== undefined && target === undefined)
    throw misuse('A sample is sent through a running gateway: name it with --url.');
  if (sample !== undefined && budget === undefined && !twin)
    throw misuse('Say with --budget what the sample can cost at most, or use --twin, which costs nothing.');
  await withOperator(terminal, options, async (work) => {
    const from = sinceOf(options.since, work.now());
    const query = { key_id: options.key, model: options.model, from };
    const estimate = await work.call('estimateReplay', { query });
    if (sample === undefined || target === undefined) {
      work.say(estimate, (paint) => estimateText(estimate, paint));
      return;
    }
    const tell = (text: string): void => note(terminal, text);
    const found = await new ReplayRun(work, { ...options, sample, from, target, tell }).run();
    work.say(
      { estimate, sample: found },
      (paint) => `${estimateText(estimate, paint)}\n\n${sampleText(found, options)}`,
    );
  });
}

function sinceOf(text: string, now: number): string {
  const [, number, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  if (number === undefined) return wholeTime(text);
  return new Date(now - Number(number) * (unit === 'h' ? 1 : 24) * HOUR_MS).toISOString();
}

interface RunOptions extends ReplayOptions {
  readonly sample: number;
  readonly from: string;
  readonly target: Target;
  readonly tell: (text: string) => void;
}

/** The gateway refused for want of money: nothing more can be sent. */
class MoneyUsed extends Error {
  constructor(limit: string) {
    // The key has no other cap than the budget; the rest is of its owner.
    super(
      limit === 'spend_total'
        ? 'the budget is used'
        : limit === 'balance'
          ? 'the owner’s balance does not cover another request'
          : `another limit does not cover another request: ${limit}`,
    );
  }
}

/** What came back, as its caller sees it. */
interface Answered {
  readonly id: string;
  readonly json: JsonObject;
  readonly ms: number;
  readonly usd: number;
}

class ReplayRun {
  private readonly work: Work;
  private readonly options: RunOptions;
  private withoutContent = 0;
  private incomplete = 0;
  private secret = '';
  private readonly refused: string[] = [];

  constructor(work: Work, options: RunOptions) {
    this.work = work;
    this.options = options;
  }

  async run(): Promise<Sample> {
    const { call } = this.work;
    const { key, model, judge, owner, twin = false, budget, target } = this.options;
    const chosen = await this.choose();
    const kept = { without_content: this.withoutContent, incomplete: this.incomplete };
    if (chosen.length === 0) return { compared: [], ...kept, stopped: 'no request can be sent again', refused: [] };
    const original = await call('getKey', { path: { key_id: key } });
    const made = await call('createKey', {
      body: {
        name: `replay of ${original.name.slice(0, 60)} ${new Date(this.work.now()).toISOString()}`,
        ...{ owner_id: owner ?? original.owner_id, mode: twin ? 'test' : 'live' },
        models: [model, ...(judge === undefined ? [] : [judge])],
        ...(budget !== undefined && { limits: { spend_total: budget } }),
        // Should nobody live to revoke it.
        expires_at: new Date(this.work.now() + HOUR_MS).toISOString(),
      },
    });
    this.secret = made.secret;
    this.options.tell(`Sending ${counted(chosen.length, 'request')} to ${model} at ${target.where}.`);
    const compared: Compared[] = [];
    let stopped: string | null = chosen.length < this.options.sample ? 'there are no more requests that can be sent again' : null; // prettier-ignore
    try {
      for (const each of chosen) {
        try {
          compared.push(await this.compare(each));
        } catch (error) {
          if (error instanceof MoneyUsed) {
            stopped = error.message;
            break;
          }
          // What was paid for before is told whatever becomes of this one.
          this.refused.push(`${each.detail.request.id}: ${reasonOf(error)}`);
        }
      }
    } finally {
      await call('revokeKey', { path: { key_id: made.key.id } }).catch((error: unknown) =>
        this.options.tell(`The key ${made.key.id} is still valid, for an hour at most: ${reasonOf(error)}`),
      );
    }
    return { compared, ...kept, stopped, refused: this.refused };
  }

  /** Requests that can be sent again, from the whole time rather than its end. */
  private async choose(): Promise<readonly Chosen[]> {
    const { key, from, sample, model } = this.options;
    const rows = await this.work.list(
      'listRequests',
      { key_id: key, kind: 'chat', status: '2xx', from },
      MOST_LOOKED_AT,
    );
    const step = Math.max(1, Math.floor(rows.length / sample));
    const order = Array.from({ length: step }, (_, first) => rows.filter((_row, at) => at % step === first)).flat();
    const chosen: Chosen[] = [];
    for (const { id, operation, error } of order) {
      if (chosen.length === sample) break;
      if (error !== null) continue;
      const detail = await this.work.call('getRequest', { path: { request_id: id } });
      const { content } = detail;
      if (content === null || content.fault !== null) {
        this.withoutContent++;
        continue;
      }
      const request = content.cut ? undefined : repeated(operation, content.request as Json, model);
      const before = request && answerOf(request.dialect, content.answer as Json);
      if (request === undefined || before === undefined) this.incomplete++;
      else
        chosen.push({
          detail,
          request,
          before,
          asked: content.messages.findLast(({ role }) => role === 'user')?.text ?? '',
        });
    }
    return chosen;
  }

  private async compare({ detail, request, before, asked }: Chosen): Promise<Compared> {
    const { id, ms, charged_usd: charged } = detail.request;
    const sent = await this.send(request);
    const after = answerOf(request.dialect, sent.json);
    if (after === undefined) throw new CommandFault('the answer of the other model cannot be read');
    const opinion = await this.judged(asked, before, after).catch((error: unknown) => {
      this.refused.push(`${id}, its opinion: ${reasonOf(error)}`);
      return null;
    });
    return {
      ...{ request_id: id, replay_id: sent.id, asked, before, after, differences: differences(before, after) },
      ms: { before: ms, after: sent.ms },
      usd: { before: charged, after: sent.usd },
      opinion,
    };
  }

  /** Asked twice, with the answers in either order: judges prefer the first one. */
  private async judged(asked: string, before: ComparedAnswer, after: ComparedAnswer): Promise<Verdict | null> {
    const { judge } = this.options;
    if (judge === undefined) return null;
    const ask = async (first: ComparedAnswer, second: ComparedAnswer): Promise<string> => {
      const { json } = await this.send({ ...CHAT, body: judgeBody(judge, asked, { first, second }) });
      return answerOf(CHAT.dialect, json)?.text ?? '';
    };
    return verdictOf(await ask(before, after), await ask(after, before));
  }

  /** As any client sends it. Throws MoneyUsed, and CommandFault for every other refusal. */
  private async send({ path, body }: Omit<Repeated, 'dialect'>): Promise<Answered> {
    const begun = performance.now();
    // oxlint-disable-next-line no-restricted-globals -- sent as callers send it, in formats of every vendor
    const reply = await fetch(this.options.target.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json', ...IDENTITY },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    const text = await reply.text();
    const ms = Math.round(performance.now() - begun);
    if (!reply.ok) {
      const limit = moneyLimitOf(reply, text);
      if (limit !== undefined) throw new MoneyUsed(limit);
      throw new CommandFault(`${reply.status} ${text.slice(0, 300)}`);
    }
    const json: unknown = JSON.parse(text);
    if (!isJsonObject(json)) throw new CommandFault('the answer is not a JSON object');
    const usd = Number(reply.headers.get('x-gateway-cost') ?? 0);
    return { id: reply.headers.get('x-request-id') ?? '', json, ms, usd };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = (error.cause ?? error) as { readonly code?: unknown };
  return `${error.message}${typeof code === 'string' ? ` (${code})` : ''}`;
}

interface Chosen {
  readonly detail: Schemas['RequestDetail'];
  readonly request: Repeated;
  readonly before: ComparedAnswer;
  readonly asked: string;
}

function estimateText(of: Schemas['ReplayEstimate'], paint: Paint): string {
  const time = (latency: Schemas['ReplayLatency'] | null): string => latency === null ? 'no answers in the log' : `${count(latency.p50)} ms median, ${count(latency.p90)} ms for 90 %, of ${counted(latency.count, 'answer')}`; // prettier-ignore
  if (of.requests === 0) return 'The request log has no answered chat of this key in that time.';
  return [
    record(
      [
        ['requests', `${count(of.requests)}${of.has_more ? ', the newest; there are more' : ''}`],
        ['asked for', of.asked.map(({ model, requests }) => `${model} (${count(requests)})`).join(', ')],
        ['tokens', `${count(of.input_tokens)} in, ${count(of.cached_input_tokens)} of them cached, ${count(of.output_tokens)} out`], // prettier-ignore
        ['cost', dollars(of.charged_usd)],
        [`cost on ${of.model}`, `${dollars(of.estimated_usd)}, estimated`],
        ['time', time(of.latency)],
        [`time of ${of.model}`, time(of.model_latency)],
      ],
      paint,
    ),
    'The estimate takes the recorded tokens. Models count tokens differently and answer at other lengths.',
  ].join('\n');
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  before: 'the recorded answer is better',
  after: 'the new answer is better',
  tie: 'no clear difference',
};

function sampleText(
  { compared, without_content: without, incomplete, stopped, refused }: Sample,
  { model, judge }: ReplayOptions,
): string {
  const total = (of: (each: Compared) => number): number => compared.reduce((sum, each) => sum + of(each), 0);
  const opinions = compared.flatMap(({ opinion }) => (opinion === null ? [] : [opinion]));
  const counts = (verdict: Verdict): number => opinions.filter((each) => each === verdict).length;
  return [
    ...compared.map(pairText),
    ...refused.map((each) => `Refused: ${each}`),
    `Compared: ${counted(compared.length, 'request')}, ${dollars(total(({ usd }) => usd.before))} as recorded, ${dollars(total(({ usd }) => usd.after))} on ${model}.`,
    ...(judge === undefined || opinions.length === 0 ? [] : [`In the opinion of ${judge}: ${counts('after')} better, ${counts('before')} worse, ${counts('tie')} without a clear difference.`]), // prettier-ignore
    ...(without === 0 ? [] : [`${counted(without, 'request')} without content: set requests.log to bodies, and keep_bodies for the key.`]), // prettier-ignore
    ...(incomplete === 0 ? [] : [`${counted(incomplete, 'request')} left out: media or long texts are not kept, the conversation is kept elsewhere, or tools of MCP servers would run.`]), // prettier-ignore
    ...(stopped === null ? [] : [`Stopped: ${stopped}.`]),
    ...(compared.length === 0
      ? []
      : ['Secrets and personal data in the recorded requests were masked before they were sent.']),
  ].join('\n\n');
}

function pairText({ request_id: id, asked, before, after, differences: found, ms, usd, opinion }: Compared): string {
  const cut = (text: string): string => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
  const shown = ({ text, calls }: ComparedAnswer): string =>
    [cut(text), ...calls].filter((each) => each !== '').join('\n');
  return [
    `${id}: ${cut(asked)}`,
    `  recorded, ${count(ms.before)} ms, ${dollars(usd.before)}: ${shown(before)}`,
    `  new, ${count(ms.after)} ms, ${dollars(usd.after)}: ${shown(after)}`,
    `  differences: ${found.length === 0 ? 'none of tools, refusal or length' : found.join('; ')}`,
    ...(opinion === null ? [] : [`  opinion: ${VERDICTS[opinion]}`]),
  ].join('\n');
}
