/** A vendor's adapter, put together from the parts of `adapter.ts`. The contract of a further kind of model is a file of its own, named here. */
import type {
  Account,
  ChatAdapter,
  Fault,
  ImageAdapter,
  SignableRequest,
  SignedHeaders,
  SpeechAdapter,
  SubjectAdapter,
  UpstreamReply,
  VideoAdapter,
} from './adapter.ts';

export type * from './adapter.ts';

/** What adapters can do, one part for each kind of model; each kind of `libs/core/src/kinds/` names its own. */
export interface Capabilities {
  readonly chat?: ChatAdapter;
  readonly images?: ImageAdapter;
  readonly videos?: VideoAdapter;
  readonly speech?: SpeechAdapter;
}
export type Capability = keyof Capabilities;

/** One vendor. A capability it lacks is simply absent. */
export interface ProviderAdapter extends Capabilities {
  readonly id: string;
  /** Vendors whose stored tasks this one can ask after, too: those its accounts were written as in earlier versions. */
  readonly formerIds?: readonly string[];
  readonly subjects?: SubjectAdapter;
  /** Credentials that are no secrets but belong into bodies (`sub_app_id`): adapters find them in `upstream.account.settings`. */
  readonly identifiers?: readonly string[];
  /** Signs a request. The only function that sees secrets. `bodyBytes` is what will be sent (TC3 signs it). May be async (OAuth token exchange). */
  authorize(request: SignableRequest, account: Account, now: number): SignedHeaders | Promise<SignedHeaders>;
  /** Finds the refusal in any reply, including a 200 that carries one. Pure. */
  readFault(reply: UpstreamReply): Fault | undefined;
}
