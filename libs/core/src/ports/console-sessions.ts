/** Sessions of browsers. Units and promises as in ports.ts. */

export type ConsoleRole = 'admin' | 'owner' | 'member';

/** Who signed in with an identity provider. */
export interface SignedInPerson {
  readonly issuer: string;
  /** The provider's own, unchanging name of the person. */
  readonly subject: string;
  /** What people call them. */
  readonly name: string;
  readonly role: ConsoleRole;
  /** The identity token, readable with the session's token alone; for signing out at the provider. */
  readonly sealedIdToken?: string;
}

export interface ConsoleSessionRecord {
  /** Its name, which opens nothing. */
  readonly id: string;
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string;
  /** It opens what the admin key opens, while the admin key is the one of this hash. */
  readonly adminKeyHash?: string;
  /** The key that it stands for. */
  readonly keyId?: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly endedAt?: number;
  readonly address?: string;
  readonly client?: string;
  /** Absent of sessions that began with a key. */
  readonly person?: SignedInPerson;
}

export interface ConsoleSessionStore {
  add(session: ConsoleSessionRecord): Promise<void>;
  /** Ended and expired ones too, until they are swept. */
  findByHash(hash: string): Promise<ConsoleSessionRecord | undefined>;
  /** Those of at most 256 hashes that there are, in no order. */
  findByHashes(hashes: readonly string[]): Promise<readonly ConsoleSessionRecord[]>;
  /** Those that have not ended, newest first. */
  list(filter: {
    /** Of the key; with `admin` those of the admin key, and of everybody whom an identity provider signed in. */
    readonly of: { readonly keyId: number } | 'admin';
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly ConsoleSessionRecord[]>;
  touch(id: string, now: number): Promise<void>;
  /** False when there is none that has not ended. */
  end(id: string, now: number): Promise<boolean>;
  /** Ends one that another one takes the place of: its `expiresAt` is its end, too, by which it is known. */
  replace(id: string, now: number): Promise<void>;
  /** Removes the oldest, ended or not, of whoever this session is of (a person, else a key, else the admin key), but so many. */
  keepNewest(like: Pick<ConsoleSessionRecord, 'keyId' | 'person'>, most: number): Promise<void>;
  /** Removes at most `limit` that ended or expired before. */
  sweep(before: number, limit: number): Promise<number>;
}
