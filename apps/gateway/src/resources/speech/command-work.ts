/** What `gateway speech` does. */
import type { BodyOf, Client } from '@model-gateway/client';
import { CommandFault } from '../../commands/command-fault.ts';
import { sayTo } from '../../commands/output.ts';
import type { Terminal } from '../../commands/terminal.ts';
import { modelOf, neededText, withClient, type ClientOptions } from '../../commands/client-command.ts';
import { endingOf, pathFor } from '../../commands/result-files.ts';

export interface SpeechOptions extends ClientOptions {
  readonly voice?: string;
  readonly format?: BodyOf<'createSpeech'>['response_format'];
  readonly instructions?: string;
  readonly out?: string;
}

/** Speaks a text and saves the sound. */
export async function speech(terminal: Terminal, words: readonly string[], options: SpeechOptions): Promise<void> {
  const model = modelOf(options, 'speech');
  const input = await neededText(terminal, words, 'speech');
  await withClient(terminal, options, async (client) => {
    const { format, instructions, out } = options;
    const voice = options.voice ?? (await firstVoice(client, model));
    const sound = await client.speech.create({
      model,
      input,
      voice,
      ...(format !== undefined && { response_format: format }),
      ...(instructions !== undefined && { instructions }),
    });
    if (out === '-') {
      for await (const piece of sound.chunks()) terminal.stdout.write(piece);
      return;
    }
    const path = pathFor(out, 'speech', format ?? endingOf(sound.contentType));
    await sound.save(path);
    sayTo(terminal, options)({ model, voice, content_type: sound.contentType, file: path }, () => path);
  });
}

async function firstVoice(client: Client, model: string): Promise<string> {
  const { voices } = await client.models.get(model);
  const [first] = voices ?? [];
  if (first !== undefined) return first;
  throw new CommandFault(`${model} lists no voices; choose one with --voice.`);
}
