/** What `gateway video` does. */
import type { Client } from '@model-gateway/client';
import { INTERRUPTED, misuse } from '../../commands/command-fault.ts';
import { sayTo } from '../../commands/output.ts';
import { startProgress } from '../../commands/progress.ts';
import { note, type Terminal } from '../../commands/terminal.ts';
import { modelOf, neededText, withClient, type ClientOptions } from '../../commands/client-command.ts';
import { endingOf, pathFor } from '../../commands/result-files.ts';

export interface VideoOptions extends ClientOptions {
  readonly seconds?: number;
  readonly size?: string;
  readonly image?: string;
  readonly wait?: boolean;
  readonly resume?: string;
  readonly out?: string;
}

const TICK_MS = 1000;

/** Starts a video, or goes on with one; waits for it and saves it where that is asked for. */
export async function video(terminal: Terminal, words: readonly string[], options: VideoOptions): Promise<void> {
  const { resume, wait = false, out } = options;
  if (resume !== undefined) {
    if (words.length > 0) throw misuse('--resume goes on with a video that was started; leave the text away.');
    await withClient(terminal, options, (client) => finish(terminal, client, resume, options));
    return;
  }
  const model = modelOf(options, 'video');
  const prompt = await neededText(terminal, words, 'video');
  await withClient(terminal, options, async (client) => {
    const receipt = await client.videoObjects.create(bodyOf(model, prompt, options));
    if (wait || out !== undefined) {
      await finish(terminal, client, receipt.id, options);
      return;
    }
    sayTo(terminal, options)(
      receipt,
      () => `${receipt.id} is started. Follow it and save it: gateway video --resume ${receipt.id}`,
    );
  });
}

type Body = Parameters<Client['videoObjects']['create']>[0];

function bodyOf(model: string, prompt: string, { seconds, size, image }: VideoOptions): Body {
  return {
    model,
    prompt,
    ...(seconds !== undefined && { seconds: String(seconds) }),
    ...(size !== undefined && { size }),
    ...(image !== undefined && {
      input_reference: /^(https?|data):/.test(image) ? { image_url: image } : { path: image },
    }),
  };
}

/** Follows a task to its end and saves its file. Ctrl-C leaves it alone and says how to come back. */
async function finish(terminal: Terminal, client: Client, id: string, options: VideoOptions): Promise<void> {
  const { stderr } = terminal;
  const stop = (): void => {
    progress.end();
    note(terminal, `${id} goes on without you: gateway video --resume ${id}`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', stop);
  const progress = startProgress(terminal);
  const begun = terminal.now();
  let [percent, status] = [0, 'started'];
  const show = (): void => {
    const seconds = stderr.isTTY ? `, ${Math.round((terminal.now() - begun) / 1000)} s` : '';
    progress.show(percent, `${id} ${status}${seconds}`);
  };
  show();
  const ticking = setInterval(show, TICK_MS);
  try {
    const task = await client.videos.wait(id, {
      onProgress: (seen) => {
        [percent, status] = [Number.parseInt(seen.progress, 10) || 0, WORDS[seen.status]];
        show();
      },
    });
    clearInterval(ticking);
    const file = await client.videos.download(id);
    const path = pathFor(options.out, 'video', endingOf(file.contentType));
    await file.save(path);
    progress.end();
    sayTo(terminal, options)({ ...task, file: path }, () => path);
  } finally {
    clearInterval(ticking);
    progress.end();
    process.off('SIGINT', stop);
  }
}

const WORDS = { NOT_START: 'waits', IN_PROGRESS: 'is made', SUCCESS: 'is ready', FAILURE: 'failed' };
