/** `gateway guardrails list`, `gateway guardrails test` */
import type { Command } from 'commander';
import type { components } from '@model-gateway/contracts';
import { operatorCommand, type OperatorOptions } from '../../commands/command-options.ts';
import { withOperator } from '../../commands/operator.ts';
import { table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

type Schemas = components['schemas'];

interface TrialOptions extends OperatorOptions {
  readonly stage?: Schemas['GuardrailStage'];
  readonly model?: string;
  readonly key?: string;
  readonly group?: string;
}

/** Adds `gateway guardrails`. */
export function addGuardrailCommands(program: Command, terminal: Terminal): void {
  const guardrails = program.command('guardrails').description('rules that check requests and answers');
  operatorCommand(guardrails, 'list', 'the guardrails of the configuration').action((options: OperatorOptions) =>
    withOperator(terminal, options, async ({ call, sayTable }) => {
      const { data } = await call('listGuardrails', {});
      const headings = ['name', 'mode', 'on', 'looks for', 'models', 'keys', 'groups'];
      sayTable(data, 'No guardrail is configured.', headings, (each) => [
        ...[each.name, each.mode, each.stages.join(' '), lookedFor(each)],
        ...[each.models, each.keys, each.groups].map((names) => (names.length === 0 ? 'all' : names.join(' '))),
      ]);
    }),
  );
  operatorCommand(guardrails, 'test <text>', 'what they would make of a text; nothing is sent')
    .option('--stage <stage>', 'request or answer; request by default')
    .option('--model <code>', 'check as if this model were asked')
    .option('--key <name>', 'check as if the key had this name')
    .option('--group <name>', 'check as if the key were in this group')
    .action((text: string, { stage, model, key, group, ...options }: TrialOptions) =>
      withOperator(terminal, options, async ({ call, say }) => {
        const body = {
          text,
          ...(stage !== undefined && { stage }),
          ...(model !== undefined && { model }),
          ...(key !== undefined && { key }),
          ...(group !== undefined && { group }),
        };
        const trial = await call('testGuardrails', { body });
        say(trial, (paint) =>
          [
            table(
              ['guardrail', 'mode', 'outcome', 'found'],
              trial.guardrails.map(({ name, mode, outcome, found }) => [
                ...[name, mode, outcome.replace('_', ' ')],
                found.map(({ label, count }) => `${label} (${count})`).join(' '),
              ]),
              paint,
            ),
            '',
            trial.text === null ? 'The text would be refused.' : trial.text,
          ].join('\n'),
        );
      }),
    );
}

function lookedFor({ detect, patterns, words, judge }: Schemas['Guardrail']): string {
  if (judge !== null) return `${judge.kind} ${judge.name}`;
  const named = [...detect, ...patterns.map(({ name }) => name)];
  return [...named, ...(words === 0 ? [] : [`${words} words`])].join(' ');
}
