/** `gateway mcp` */
import type { Command } from 'commander';
import { isJsonObject, type Json, type JsonObject } from '@model-gateway/contracts';
import { whereAndJson, withClient, type ClientOptions } from '../../commands/client-command.ts';
import { CommandFault } from '../../commands/command-fault.ts';
import { sayTo, table } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';

const LONGEST_DESCRIPTION = 80;

/** Adds `gateway mcp`. */
export function addMcpCommand(program: Command, terminal: Terminal): void {
  whereAndJson(
    program
      .command('mcp')
      .description('list the tools of every MCP server that a key may use; exit code 1 if a server does not answer'),
  ).action((options: ClientOptions) => listTools(terminal, options));
}

async function listTools(terminal: Terminal, options: ClientOptions): Promise<void> {
  await withClient(terminal, options, async (client) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const;
    const answer: unknown = await client.call('callMcp', { body });
    const message = isJsonObject(answer) ? answer : {};
    const { result, error } = message;
    if (!isJsonObject(result)) {
      const why = isJsonObject(error) && typeof error['message'] === 'string' ? error['message'] : 'there is no answer';
      throw new CommandFault(`No MCP server could be asked: ${why}.`);
    }
    const tools = objectsIn(result['tools']);
    const meta = isJsonObject(result['_meta']) ? result['_meta'] : {};
    const faults = objectsIn(meta['model-gateway/faults']);
    sayTo(terminal, options)(result, (paint) =>
      [
        table(
          ['tool', 'what it does'],
          tools.map((tool) => [textIn(tool, 'name'), firstLine(textIn(tool, 'description'))]),
          paint,
        ),
        ...faults.map(
          (fault) => `${textIn(fault, 'server')}: ${textIn(fault, 'message') || objectTexts(fault['left_out'])}`,
        ),
      ].join('\n'),
    );
    const failed = faults.filter((fault) => fault['message'] !== undefined).map((fault) => textIn(fault, 'server'));
    if (failed.length > 0) throw new CommandFault(`Could not be asked: ${failed.join(', ')}.`);
  });
}

function objectsIn(json: Json | undefined): readonly JsonObject[] {
  return Array.isArray(json) ? json.filter(isJsonObject) : [];
}

function objectTexts(json: Json | undefined): string {
  const texts = Array.isArray(json) ? json.filter((each) => typeof each === 'string') : [];
  return `left out: ${texts.join('; ')}`;
}

function textIn(json: JsonObject, name: string): string {
  const value = json[name];
  return typeof value === 'string' ? value : '';
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > LONGEST_DESCRIPTION ? `${line.slice(0, LONGEST_DESCRIPTION - 1)}…` : line;
}
