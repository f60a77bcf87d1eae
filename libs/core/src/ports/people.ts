/** People whom an identity provider signed in. Units and promises as in ports.ts. */
import type { ConsoleRole, SignedInPerson } from './console-sessions.ts';

export interface PersonRecord extends Pick<SignedInPerson, 'issuer' | 'subject' | 'name'> {
  readonly id: number;
  /** What the claims gave last. */
  readonly role: ConsoleRole;
  /** The owner that the claims named last. */
  readonly ownerId?: number;
  readonly signIns: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Since then the person may not sign in. */
  readonly blockedAt?: number;
  /** Sessions that are open at the moment that was asked about. */
  readonly openSessions: number;
}

export type SignedIn = Pick<PersonRecord, 'issuer' | 'subject' | 'name' | 'role' | 'ownerId'>;

export interface PersonStore {
  /** Notes that somebody has proved who they are; gives the moment since which they are blocked. */
  signedIn(person: SignedIn, now: number): Promise<{ readonly blockedAt: number | undefined }>;
  /** Notes that somebody called with a token; the role of one who has signed in before stays. */
  called(person: SignedIn, now: number): Promise<{ readonly blockedAt: number | undefined }>;
  /** Since when somebody is blocked. */
  blockedAt(person: Pick<SignedInPerson, 'issuer' | 'subject'>): Promise<number | undefined>;
  get(id: number, now: number): Promise<PersonRecord | undefined>;
  /** Those who came last first. */
  list(filter: {
    /** Those whose name has this in it, in capitals or not. */
    readonly name?: string;
    readonly role?: ConsoleRole;
    /** The last id of the page before. */
    readonly after?: number;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly PersonRecord[]>;
  /** Since when somebody is blocked; absent: not any more. */
  block(id: number, at: number | undefined): Promise<void>;
  /** Ends every open session of a person; how many there were. */
  endSessions(person: Pick<SignedInPerson, 'issuer' | 'subject'>, now: number): Promise<number>;
}
