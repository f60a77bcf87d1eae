/** Short-lived tokens for realtime sessions. Units and promises as in ports.ts. */

export interface RealtimeSecretRecord {
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string;
  /** The key that it stands for. */
  readonly keyId: number;
  /** The session that it opens, readable with the token alone. */
  readonly sealedSession: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface RealtimeSecretStore {
  /** Removes the key's oldest beyond `most`, too. */
  add(secret: RealtimeSecretRecord, most: number): Promise<void>;
  /** Expired ones too, until they are swept. */
  findByHash(hash: string): Promise<RealtimeSecretRecord | undefined>;
  /** Removes at most `limit` that expired before. */
  sweep(before: number, limit: number): Promise<number>;
}
