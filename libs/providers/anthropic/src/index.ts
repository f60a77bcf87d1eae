import type { Vendor } from '@model-gateway/provider-kit';
import { anthropic as declared } from './declared.ts';

export const anthropic: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).anthropic };
