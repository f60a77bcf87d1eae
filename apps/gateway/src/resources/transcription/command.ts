/** `gateway transcribe` */
import { Option, type Command } from 'commander';
import type { Terminal } from '../../commands/terminal.ts';
import { modelCommand } from '../../commands/client-command.ts';
import type { TranscribeOptions } from './command-work.ts';

const TRANSCRIPTS = ['text', 'srt', 'vtt', 'json', 'verbose_json', 'diarized_json'] as const;

/** Adds `gateway transcribe`. */
export function addTranscribeCommand(program: Command, terminal: Terminal): void {
  modelCommand(program, 'transcribe <file>', 'write down what is said in a recording')
    .addOption(new Option('--format <format>', 'text when absent; srt and vtt are subtitles').choices([...TRANSCRIPTS]))
    .option('--language <code>', 'what is spoken, such as en; the model finds out when absent')
    .option('--prompt <text>', 'names and words that occur')
    .option('--translate', 'in English, whatever is spoken')
    .option('-o, --out <file>', 'where to save it; standard output when absent')
    .action(async (path: string, options: TranscribeOptions) =>
      (await import('./command-work.ts')).transcribe(terminal, path, options),
    );
}
