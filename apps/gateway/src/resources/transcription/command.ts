/** `gateway transcribe` */
import { Option, type Command } from 'commander';
import type { Terminal } from '../../commands/terminal.ts';
import { modelCommand } from '../../commands/client-command.ts';
import type { TranscribeOptions } from './command-work.ts';

const TRANSCRIPTS = ['text', 'srt', 'vtt', 'json', 'verbose_json', 'diarized_json'] as const;

/** Adds `gateway transcribe`. */
export function addTranscribeCommand(program: Command, terminal: Terminal): void {
  modelCommand(program, 'transcribe <file>', 'turn a recording into text')
    .addOption(new Option('--format <format>', 'text by default; srt and vtt are subtitles').choices([...TRANSCRIPTS]))
    .option('--language <code>', 'the language, such as en; by default the model detects it')
    .option('--prompt <text>', 'names and words that occur in the recording')
    .option('--translate', 'translate to English')
    .option('-o, --out <file>', 'the file to save to; standard output by default')
    .action(async (path: string, options: TranscribeOptions) =>
      (await import('./command-work.ts')).transcribe(terminal, path, options),
    );
}
