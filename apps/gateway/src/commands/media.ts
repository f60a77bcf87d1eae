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
  clientCommand(program, 'image', 'make images, or edit images with --image, and save them')
    .option('--size <size>', 'such as 1024x1024 or 2K; gateway models --json lists what a model can make')
    .option('-n, --count <n>', 'how many', wholeNumber)
    .option('-i, --image <file>', 'an image to start from; repeat the option for several', several)
    .option('-o, --out <file>', 'the file to save to; image.png or the like by default')
    .action(async (words: readonly string[], options: ImageOptions) =>
      (await import('../resources/images/command-work.ts')).image(terminal, words, options),
    );
  clientCommand(program, 'speech', 'turn text into speech and save the audio')
    .option('--voice <name>', 'the voice; the first one of the model by default')
    .addOption(new Option('--format <format>', 'the format of the audio').choices([...FORMATS]))
    .option('--instructions <text>', 'how to speak')
    .option('-o, --out <file>', 'the file to save to; speech.mp3 or the like by default, - for standard output')
    .action(async (words: readonly string[], options: SpeechOptions) =>
      (await import('../resources/speech/command-work.ts')).speech(terminal, words, options),
    );
  clientCommand(program, 'video', 'start a video; with --wait, wait until it is done and save it')
    .option('--seconds <n>', 'the length of the video', wholeNumber)
    .option('--size <size>', 'such as 1280x720')
    .option('-i, --image <file>', 'the first frame: a file or a URL')
    .option('-w, --wait', 'wait until the video is done, and save it')
    .option('--resume <task-id>', 'follow a video that was started earlier, and save it')
    .option('-o, --out <file>', 'the file to save to, which implies --wait; video.mp4 or the like by default')
    .action(async (words: readonly string[], options: VideoOptions) =>
      (await import('../resources/videos/command-work.ts')).video(terminal, words, options),
    );
}

function several(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
