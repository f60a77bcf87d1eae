/** Why somebody could not sign in. */

/** What the console has a sentence for; nothing else of a fault reaches the browser. */
export type SignInFaultCode =
  /** The provider does not answer, or not as providers do. */
  | 'provider_away'
  /** It took too long, was begun in another browser, or was answered before. */
  | 'start_again'
  /** The provider, or the person there, said no. */
  | 'refused'
  /** What the provider gave cannot be trusted. */
  | 'not_valid'
  /** The claims give no role. */
  | 'no_role'
  /** The claims name no owner of this gateway. */
  | 'no_owner'
  /** An operator has blocked the person. */
  | 'blocked'
  /** Too many tried from this address. */
  | 'too_many';

/** The message is for the log of operators. */
export class SignInFault extends Error {
  readonly code: SignInFaultCode;
  constructor(code: SignInFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignInFault';
    this.code = code;
  }
}
