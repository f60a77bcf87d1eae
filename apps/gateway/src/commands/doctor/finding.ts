/** What a look found. */
export interface Finding {
  /** What was looked at: `database`, `account openai`. */
  readonly name: string;
  /** A fault keeps something from working; a warning may. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}
