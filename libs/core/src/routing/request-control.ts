/** What a caller says of the way that one request may take. */
export interface RequestControl {
  /** For conditions of routes, beside those of the body's `metadata`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** US dollars that the request may cost at most: whoever may cost more is not asked. */
  readonly maxCost?: number;
  /** Until the answer is there, of a stream until it begins. */
  readonly timeoutSeconds?: number;
  readonly vendors?: VendorChoice;
  /** The first model of the plan and no other. */
  readonly noFallback?: boolean;
}

/** Who may be asked, by the names of vendors or of those behind a compatible wire. */
export interface VendorChoice {
  /** These alone; all when empty. */
  readonly only: readonly string[];
  readonly not: readonly string[];
}

/** Whether the choice leaves an account. */
export function isChosen({ only, not }: VendorChoice, account: VendorNames): boolean {
  const names = vendorNames(account);
  return (only.length === 0 || only.some((name) => names.includes(name))) && !not.some((name) => names.includes(name));
}

interface VendorNames {
  readonly vendor: string;
  readonly provider?: string;
}

/** What an account's vendor can be called by. */
export function vendorNames({ vendor, provider }: VendorNames): readonly string[] {
  return provider === undefined ? [vendor] : [vendor, provider];
}
