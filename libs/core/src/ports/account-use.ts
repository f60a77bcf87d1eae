/** What processes tell each other of the use of vendor accounts that have a budget. Units and promises as in ports.ts. */

/** One vendor model of one account was used. */
export interface AccountUse {
  readonly accountId: number;
  /** As the vendor calls it. */
  readonly model: string;
  readonly requests: number;
  readonly tokens: number;
  /** Quota units, by the catalogue's prices without the factors of groups. */
  readonly units: number;
}

/** Brings what was used here to the other processes and theirs here. Best effort: without it each keeps budgets by its own calls. */
export interface SharedUse {
  /** Never throws. */
  tell(use: AccountUse): void;
  /** `learn` hears of what others use from now on, `learnDay` of what all have used today. Called once. */
  listen(heard: { readonly learn: (use: AccountUse) => void; readonly learnDay: (use: AccountUse) => void }): void;
}
