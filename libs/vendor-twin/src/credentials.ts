/** Credentials by the vendors' own names, as an account of the gateway would hold them (docs/architecture.md#configuration). */
export type TwinCredentials = Readonly<Record<string, string>>;

/** The API key of a vendor that has one. */
export function apiKeyOf(vendor: string): string {
  return `sk-twin-${vendor}-0123456789`;
}

/** The credentials of a vendor that has one key. */
export function apiKey(vendor: string): () => TwinCredentials {
  const credentials = { api_key: apiKeyOf(vendor) };
  return () => credentials;
}
