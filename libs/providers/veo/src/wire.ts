/** Which of the three ways to Veo an account has: its setting `wire` (docs/wire/veo.md). */
import type { Account } from '@model-gateway/provider-kit';

export type Wire = 'gemini' | 'vertex' | 'kie';

export function wireOf(account: Pick<Account, 'settings'>): Wire {
  const said = account.settings['wire'];
  return said === 'vertex' || said === 'kie' ? said : 'gemini';
}
