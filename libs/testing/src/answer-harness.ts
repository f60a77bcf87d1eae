import type { JsonObject } from '@model-gateway/contracts';
import type { MediaFile, ProviderAdapter, Upstream } from '@model-gateway/provider-kit';
import type { Operation, TwinFault, TwinVendor } from '@model-gateway/vendor-twin';
import { TwinHarness } from './twin-harness.ts';

export interface AnswerHarnessOptions {
  readonly model: string;
  readonly operation: Operation;
  readonly quirks?: JsonObject;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The bench of what is answered at once: chat, images and speech. */
export class AnswerHarness extends TwinHarness {
  readonly #options: AnswerHarnessOptions;

  constructor(adapter: ProviderAdapter, vendor: TwinVendor, options: AnswerHarnessOptions) {
    super(adapter, vendor, { seconds: { image: 0.3 } });
    this.#options = options;
  }

  /** The next such request meets this fault. */
  meet(fault: TwinFault): void {
    this.twin.faults.next(this.vendor, this.#options.operation, fault);
  }

  /** The last request's body, as text. */
  lastRequest(): string {
    return this.twin.requests.last(this.vendor)?.body ?? '';
  }

  upstream(
    how: { readonly wrongKey?: boolean; readonly signal?: AbortSignal; readonly model?: string } = {},
  ): Upstream {
    return this.connect({
      model: this.#options.model,
      ...(this.#options.quirks !== undefined && { quirks: this.#options.quirks }),
      ...(this.#options.settings !== undefined && { settings: this.#options.settings }),
      ...how,
    });
  }

  /** The vendor's address is the operator's business too; tasks show links to its files. */
  protected override hidden(): readonly string[] {
    return [...super.hidden(), new URL(this.twin.url).host];
  }

  async bytesOf(file: MediaFile): Promise<Buffer> {
    if ('bytes' in file) return Buffer.from(file.bytes);
    const reply = await fetch(file.url);
    if (!reply.ok) throw new Error(`the picture’s address answered ${reply.status}`);
    return Buffer.from(await reply.arrayBuffer());
  }
}
