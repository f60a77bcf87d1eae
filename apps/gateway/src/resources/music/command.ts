/** `gateway music` */
import type { Command } from 'commander';
import { modelCommand, modelOf, neededText, withClient, type ClientOptions } from '../../commands/client-command.ts';
import { wholeNumber } from '../../commands/command-options.ts';
import { sayTo } from '../../commands/output.ts';
import { endingOf, pathFor } from '../../commands/result-files.ts';
import type { Terminal } from '../../commands/terminal.ts';

interface MusicOptions extends ClientOptions {
  readonly seconds?: number;
  readonly lyrics?: string;
  readonly format?: string;
  readonly out?: string;
}

/** Adds `gateway music`. */
export function addMusicCommand(program: Command, terminal: Terminal): void {
  modelCommand(program, 'music', 'make music or a sound effect and save the audio')
    .argument('[words...]', 'the prompt; or through a pipe')
    .option('--seconds <n>', 'the length', wholeNumber)
    .option('--lyrics <text>', 'what is sung')
    .option('--format <format>', 'mp3, opus, wav or pcm')
    .option('-o, --out <file>', 'the file to save to; music.mp3 or the like by default, - for standard output')
    .action((words: readonly string[], options: MusicOptions) => music(terminal, words, options));
}

async function music(terminal: Terminal, words: readonly string[], options: MusicOptions): Promise<void> {
  const model = modelOf(options, 'music');
  const prompt = await neededText(terminal, words, 'music');
  await withClient(terminal, options, async (client) => {
    const { seconds, lyrics, format, out } = options;
    const sound = await client.music.create({
      model,
      prompt,
      ...(seconds !== undefined && { seconds }),
      ...(lyrics !== undefined && { lyrics }),
      ...(format !== undefined && { response_format: format }),
    });
    if (out === '-') {
      for await (const piece of sound.chunks()) terminal.stdout.write(piece);
      return;
    }
    const path = pathFor(out, 'music', format ?? endingOf(sound.contentType));
    await sound.save(path);
    sayTo(terminal, options)({ model, content_type: sound.contentType, file: path }, () => path);
  });
}
