/** What `gateway transcribe` does. */
import { access, writeFile } from 'node:fs/promises';
import type { Client, TranscriptFormat } from '@model-gateway/client';
import { CommandFault, misuse } from '../../commands/command-fault.ts';
import { sayTo } from '../../commands/output.ts';
import { startProgress } from '../../commands/progress.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { modelOf, withClient, type ClientOptions } from '../../commands/client-command.ts';

export interface TranscribeOptions extends ClientOptions {
  readonly format?: TranscriptFormat;
  readonly language?: string;
  readonly prompt?: string;
  readonly translate?: true;
  readonly out?: string;
}

/** Writes down a recording: to standard output, or into a file. */
export async function transcribe(terminal: Terminal, path: string, options: TranscribeOptions): Promise<void> {
  const model = modelOf(options, 'transcription');
  const { translate, language, out } = options;
  if (translate === true && language !== undefined)
    throw misuse('--language is for transcripts; a translation is in English, whatever is spoken.');
  await access(path).catch(() => {
    throw new CommandFault(`${path} cannot be read.`);
  });
  await withClient(terminal, options, async (client) => {
    const format = options.format ?? (options.json === true ? 'json' : 'text');
    const told = await written(terminal, client, { ...options, model, format, path });
    const text = typeof told === 'string' ? told : `${JSON.stringify(told, undefined, 2)}\n`;
    if (out !== undefined) await writeFile(out, text);
    const whole = typeof told === 'string' ? { text: told } : told;
    sayTo(terminal, options)(out === undefined ? whole : { ...whole, file: out }, () => out ?? text.trimEnd());
  });
}

interface Wanted extends TranscribeOptions {
  readonly model: string;
  readonly format: TranscriptFormat;
  readonly path: string;
}

/** On a terminal the upload is shown while it lasts. */
async function written(
  { stderr }: Terminal,
  client: Client,
  { model, format, path, language, prompt, translate }: Wanted,
) {
  const progress = stderr.isTTY ? startProgress({ stderr }) : undefined;
  const onUpload = (sent: number, total: number): void => progress?.show((100 * sent) / total, `sending ${path}`);
  const form = { model, file: { path }, response_format: format, ...(prompt !== undefined && { prompt }) };
  try {
    if (translate !== true)
      return await client.transcriptions.create({ ...form, ...(language !== undefined && { language }) }, { onUpload });
    if (format === 'diarized_json') throw misuse('A translation names no speakers; leave diarized_json out.');
    return await client.transcriptions.translate({ ...form, response_format: format }, { onUpload });
  } finally {
    progress?.end();
  }
}
