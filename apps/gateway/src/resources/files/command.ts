/** `gateway files` */
import { Option, type Command } from 'commander';
import { whereAndJson } from '../../commands/client-command.ts';
import { wholeNumber } from '../../commands/command-options.ts';
import type { Terminal } from '../../commands/terminal.ts';
import type { DownloadOptions, FilesOptions, ListOptions, UploadOptions } from './command-work.ts';

const PURPOSES = ['assistants', 'batch', 'evals', 'fine-tune', 'user_data', 'vision'] as const;

/** Adds `gateway files list|upload|download|delete`. */
export function addFileCommands(program: Command, terminal: Terminal): void {
  const files = program.command('files').description('files that other requests name by their id');
  fileCommand(files, 'list', 'the files of the key’s owner, newest first')
    .addOption(new Option('--purpose <purpose>', 'only files of this purpose').choices([...PURPOSES, 'batch_output']))
    .option('--limit <count>', 'how many to show; 100 by default', wholeNumber)
    .action(async (options: ListOptions) => (await import('./command-work.ts')).listFiles(terminal, options));
  fileCommand(files, 'upload <file>', 'upload a file')
    .addOption(new Option('--purpose <purpose>', 'the purpose of the file').choices([...PURPOSES]).default('user_data'))
    .option('--days <count>', 'delete the file after this many days, 30 at most', wholeNumber)
    .action(async (path: string, options: UploadOptions) =>
      (await import('./command-work.ts')).uploadFile(terminal, path, options),
    );
  fileCommand(files, 'download <id>', 'save a file')
    .option('-o, --out <file>', 'the file to save to; its own name by default')
    .action(async (id: string, options: DownloadOptions) =>
      (await import('./command-work.ts')).downloadFile(terminal, id, options),
    );
  fileCommand(files, 'delete <id>', 'delete a file').action(async (id: string, options: FilesOptions) =>
    (await import('./command-work.ts')).deleteFile(terminal, id, options),
  );
}

function fileCommand(parent: Command, usage: string, description: string): Command {
  return whereAndJson(parent.command(usage).description(description));
}
