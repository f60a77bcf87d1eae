/** The few words in which the two databases' DDL differs. */
export interface Words {
  /** A whole column: an integer primary key the database gives out, never twice. */
  readonly id: string;
  readonly bytes: string;
}
