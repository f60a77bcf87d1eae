/** A call under way: await it for the data, or take the raw response. */
import { deadlineOf } from './transport.ts';

/** An answer with what came around it. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: Response;
  readonly requestId: string | undefined;
}

/** A promise of the data that also gives the response. The request is sent when the call is made, once. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #response: Promise<Response>;
  readonly #parse: (response: Response) => Promise<T> | T;
  #data: Promise<T> | undefined;

  constructor(response: Promise<Response>, parse: (response: Response) => Promise<T> | T) {
    this.#response = response;
    this.#parse = parse;
  }

  /** The response as it came, its body unread. Do not await the call as well. */
  async asResponse(): Promise<Response> {
    const response = await this.#response;
    deadlineOf(response)?.rest();
    return response;
  }

  /** The data together with the response's headers and request id. */
  async withResponse(): Promise<WithResponse<T>> {
    const [data, response] = await Promise.all([this.#read(), this.#response]);
    return { data, response, requestId: response.headers.get('x-request-id') ?? undefined };
  }

  then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#read().then(done, failed);
  }
  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#read().catch(failed);
  }
  finally(always?: (() => void) | null): Promise<T> {
    return this.#read().finally(always);
  }

  #read(): Promise<T> {
    return (this.#data ??= this.#response.then(this.#parse));
  }
}
