import type { Vendor } from '@model-gateway/provider-kit';
import { mimo as declared } from './declared.ts';

export const mimo: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).mimo };
