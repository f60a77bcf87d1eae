/** `gateway cache explain`, `gateway cache report` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, wholeNumber, wholeTime, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { count, dollars, named, table, type Paint } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];

interface ReportOptions extends OperatorOptions {
  readonly owner?: number;
  readonly key?: number;
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Adds `gateway cache`. */
export function addPromptCacheCommands(program: Command, terminal: Terminal): void {
  const cache = program.command('cache').description('prompt caches of vendors: what requests read, lost and why');
  operatorCommand(
    cache,
    'explain <request-id>',
    'why a request read less from the vendor’s cache than it could',
  ).action((id: string, options: OperatorOptions) =>
    withOperator(terminal, options, async ({ call, say }) => {
      const found = await call('getRequestCache', { path: { request_id: id } });
      say(found, () => explanation(found));
    }),
  );
  operatorCommand(cache, 'report', 'what prompt caches would have saved by key, of the last 7 days')
    .option('--owner <id>', 'only of this owner', wholeNumber)
    .option('--key <id>', 'only of this key', wholeNumber)
    .option('--model <code>', 'only of requests for this model')
    .option('--from <time>', 'the first day, such as 2026-11-01')
    .option('--to <time>', 'the last day; today by default')
    .action(({ owner, key, model, from, to, ...options }: ReportOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const query = {
          ...{ owner_id: owner, key_id: key, model },
          ...{
            from: from === undefined ? undefined : wholeTime(from),
            to: to === undefined ? undefined : wholeTime(to),
          },
        };
        const report = await call('getCacheReport', { query });
        say(report, (paint) => reportText(report, paint));
      }),
    );
}

function explanation(of: Schemas['RequestCache']): string {
  if (!of.examined) return of.explanation;
  const { input_tokens: input, read_tokens: read, could_tokens: could, lost_usd: lost } = of;
  return [
    `Read ${count(read ?? 0)} of ${count(input ?? 0)} input tokens from the cache; ${count(could ?? 0)} could have been read.`,
    of.cause === null ? of.explanation : `${of.cause}: ${of.explanation}`,
    ...(of.cause === null ? [] : [`The loss cost ${dollars(lost ?? 0)}.`]),
    ...(of.advice === null ? [] : [of.advice]),
    ...(of.previous_request_id === null
      ? []
      : [`Compared with ${of.previous_request_id}, ${of.seconds_since_previous ?? 0} s before.`]),
  ].join('\n');
}

function reportText({ data }: Schemas['CacheReport'], paint: Paint): string {
  if (data.length === 0) return 'No request was long enough to cache.';
  return data
    .map((key) =>
      [
        `${named(key.key_name, key.key_id)}: ${dollars(key.lost_usd)} of ${dollars(key.charged_usd)} would have been saved.`,
        `Vendors read ${count(key.read_tokens)} of ${count(key.input_tokens)} input tokens from their caches, in ${count(key.requests)} requests.`,
        ...(key.causes.length === 0
          ? []
          : [
              table(
                ['cause', 'requests', 'tokens', 'lost', 'what to do'],
                key.causes.map(({ cause, requests, lost_tokens: tokens, lost_usd: lost, advice }) => [
                  cause,
                  count(requests),
                  count(tokens),
                  dollars(lost),
                  advice,
                ]),
                paint,
              ),
            ]),
      ].join('\n'),
    )
    .join('\n\n');
}
