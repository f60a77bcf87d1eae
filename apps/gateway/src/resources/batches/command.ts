/** `gateway batches …` */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Client } from '@model-gateway/client';
import { isJsonObject, type JsonObject } from '@model-gateway/contracts';
import { linesOf, modelCommand, modelOf, withClient, type ClientOptions } from '../../commands/client-command.ts';
import { CommandFault } from '../../commands/command-fault.ts';
import { wholeNumber } from '../../commands/command-options.ts';
import { moment, sayTo, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const USUAL_TOKENS = 1024;
const SHOWN = 20;

interface CreateOptions extends ClientOptions {
  readonly maxTokens?: number;
}
interface ResultOptions extends ClientOptions {
  readonly output?: string;
}
type Batch = Awaited<ReturnType<Client['batches']['get']>>;
type Requests = Parameters<Client['batches']['create']>[0];

/** Adds `gateway batches list|create|get|results|cancel|delete`. */
export function addBatchCommands(program: Command, terminal: Terminal): void {
  const batches = program.command('batches').description('many chat requests at once, answered within a day');
  const says = (options: ClientOptions, batch: Batch): void => sayTo(terminal, options)(batch, () => tableOf([batch]));
  modelCommand(batches, 'list', 'list your batches, newest first').action((options: ClientOptions) =>
    withClient(terminal, options, async (client) => {
      const found = await client.batches.list().all(SHOWN);
      sayTo(terminal, options)(found, () => tableOf(found));
    }),
  );
  modelCommand(batches, 'create', 'send a request for each line of a file: a prompt, or JSON with custom_id and params')
    .argument('<file>', 'the file')
    .option('--max-tokens <n>', `the most tokens of each answer; ${USUAL_TOKENS} by default`, wholeNumber)
    .action((file: string, options: CreateOptions) =>
      withClient(terminal, options, async (client) => {
        says(options, await client.batches.create(await requestsIn(file, options)));
      }),
    );
  for (const [name, about] of [
    ['get', 'show how far a batch is'],
    ['cancel', 'cancel the requests that have not begun'],
  ] as const)
    modelCommand(batches, name, about)
      .argument('<batch-id>', 'its id')
      .action((id: string, options: ClientOptions) =>
        withClient(terminal, options, async (client) => says(options, await client.batches[name](id))),
      );
  modelCommand(batches, 'results', 'print the results of a batch, a line for each')
    .argument('<batch-id>', 'its id')
    .option('-o, --output <file>', 'the file to save to')
    .action((id: string, options: ResultOptions) =>
      withClient(terminal, options, (client) => results(terminal, client, id, options)),
    );
  modelCommand(batches, 'delete', 'delete a batch that has ended, with its results')
    .argument('<batch-id>', 'its id')
    .action((id: string, options: ClientOptions) =>
      withClient(terminal, options, async (client) => {
        const gone = await client.batches.delete(id);
        sayTo(terminal, options)(gone, () => `${gone.id} is deleted`);
      }),
    );
}

async function results(terminal: Terminal, client: Client, id: string, options: ResultOptions): Promise<void> {
  const { output } = options;
  if (output === undefined) {
    for await (const line of client.batches.results(id)) terminal.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const line of client.batches.results(id)) yield `${JSON.stringify(line)}\n`;
  }
  await writeFile(output, lines());
}

async function requestsIn(file: string, options: CreateOptions): Promise<Requests> {
  const { model, maxTokens } = options;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandFault(`${file} cannot be read: ${(error as Error).message}`);
  });
  return linesOf(text).map((line, index) => {
    const given = line.startsWith('{') ? parsed(line, index) : undefined;
    const usual = { max_tokens: maxTokens ?? USUAL_TOKENS, ...(model !== undefined && { model }) };
    if (given === undefined) {
      const params = { ...usual, model: modelOf(options, 'chat'), messages: [{ role: 'user', content: line }] };
      return { custom_id: `line-${index + 1}`, params };
    }
    const params = isJsonObject(given['params']) ? given['params'] : {};
    const { custom_id: id } = given;
    return { custom_id: typeof id === 'string' ? id : `line-${index + 1}`, params: { ...usual, ...params } };
  });
}

function parsed(line: string, index: number): JsonObject {
  try {
    return JSON.parse(line) as JsonObject;
  } catch {
    throw new CommandFault(`line ${index + 1} looks like JSON but is not valid JSON`);
  }
}

function tableOf(batches: readonly Batch[]): string {
  return table(
    ['batch', 'status', 'waiting', 'succeeded', 'errored', 'cancelled', 'expired', 'made'],
    batches.map(({ id, processing_status: status, request_counts: counts, created_at: at }) => [
      ...[id, status],
      ...[counts.processing, counts.succeeded, counts.errored, counts.canceled, counts.expired].map(String),
      moment(at),
    ]),
  );
}
