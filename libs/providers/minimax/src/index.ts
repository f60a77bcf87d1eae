import type { Vendor } from '@model-gateway/provider-kit';
import { minimax as declared } from './declared.ts';

export const minimax: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).minimax };
