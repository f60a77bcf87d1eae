/** Answers that are files: read whole, or as they come. */
import { nodeFiles, type Part } from './environment.ts';
import { chunksOf } from './sse.ts';
import { connectionError, deadlineOf } from './transport.ts';

/** A file on its way. Its body is read once, by one of these. */
export class BinaryReply {
  readonly response: Response;
  constructor(response: Response) {
    this.response = response;
  }

  /** Such as `video/mp4`. */
  get contentType(): string {
    return this.response.headers.get('content-type') ?? '';
  }

  /** Piece by piece. Leaving the loop hangs up. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const deadline = deadlineOf(this.response);
    try {
      for await (const chunk of chunksOf(this.response.body)) {
        deadline?.touch();
        yield chunk;
      }
    } catch (error) {
      throw deadline === undefined ? error : connectionError(error, deadline.signal);
    } finally {
      deadline?.stop();
    }
  }

  /** All of it. */
  async blob(): Promise<Blob> {
    const chunks: Part[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk.slice());
    return new Blob(chunks, { type: this.contentType });
  }

  /** All of it. */
  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await (await this.blob()).arrayBuffer());
  }

  /** Writes it to a file as it comes (Node). */
  async save(path: string): Promise<void> {
    const files = await nodeFiles();
    const file = await files.open(path, 'w');
    try {
      for await (const chunk of this.chunks()) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
  }
}
