/** Whose bills can be checked. */
import type { components } from '../generated/api.d.ts';

/** Vendors of the accounts that each bill is of. */
export const ACCOUNTS_OF_BILL: Readonly<Record<components['schemas']['BillVendor'], readonly string[]>> = {
  openai: ['openai'],
  anthropic: ['anthropic'],
  aws: ['bedrock'],
  google: ['gemini', 'vertex', 'veo'],
};
