/** The start of a task: await it for the receipt, or wait for the end. */
import { Call } from './call.ts';
import type { WaitOptions } from './wait-for-video.ts';

export class TaskCall<Receipt, Task> extends Call<Receipt> {
  readonly #follow: (receipt: Receipt, options: WaitOptions<Task>) => Promise<Task>;

  constructor(response: Promise<Response>, follow: (receipt: Receipt, options: WaitOptions<Task>) => Promise<Task>) {
    super(response, async (reply) => (await reply.json()) as Receipt);
    this.#follow = follow;
  }

  /** Resolves with the task when it has succeeded. Throws TaskFailedError, TimeoutError, or the signal's reason. */
  async wait(options: WaitOptions<Task> = {}): Promise<Task> {
    return this.#follow(await this, options);
  }
}
