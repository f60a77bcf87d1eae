/** `gateway image`, `gateway speech`, `gateway video` */
import { Option, type Command } from 'commander';
import { wholeNumber } from './command-options.ts';
import type { Terminal } from './terminal.ts';
import { clientCommand } from './client-command.ts';
import type { ImageOptions } from '../resources/images/command-work.ts';
import type { SpeechOptions } from '../resources/speech/command-work.ts';
import type { VideoOptions } from '../resources/videos/command-work.ts';

const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;

/** Adds `gateway image|speech|video`. */
export function addMediaCommands(program: Command, terminal: Terminal): void {
  clientCommand(program, 'image', 'make pictures, or with --image change some, and save them')
    .option('--size <size>', 'such as 1024x1024 or 2K; gateway models --json says what a model can')
    .option('-n, --count <n>', 'how many', wholeNumber)
    .option('-i, --image <file>', 'a picture to start from; several times for several', several)
    .option('-o, --out <file>', 'where to save it; image.png and so on when absent')
    .action(async (words: readonly string[], options: ImageOptions) =>
      (await import('../resources/images/command-work.ts')).image(terminal, words, options),
    );
  clientCommand(program, 'speech', 'speak a text and save the sound')
    .option('--voice <name>', 'which voice; the first of the model when absent')
    .addOption(new Option('--format <format>', 'of the sound').choices([...FORMATS]))
    .option('--instructions <text>', 'how to speak')
    .option('-o, --out <file>', 'where to save it; speech.mp3 and so on when absent, - for standard output')
    .action(async (words: readonly string[], options: SpeechOptions) =>
      (await import('../resources/speech/command-work.ts')).speech(terminal, words, options),
    );
  clientCommand(program, 'video', 'start a video; with --wait follow it to its end and save it')
    .option('--seconds <n>', 'how long it is to be', wholeNumber)
    .option('--size <size>', 'such as 1280x720')
    .option('-i, --image <file>', 'its first frame: a file, or an address')
    .option('-w, --wait', 'follow it to its end, and save it')
    .option('--resume <task-id>', 'follow one that was started before, and save it')
    .option('-o, --out <file>', 'where to save it, which means --wait; video.mp4 and so on when absent')
    .action(async (words: readonly string[], options: VideoOptions) =>
      (await import('../resources/videos/command-work.ts')).video(terminal, words, options),
    );
}

function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
