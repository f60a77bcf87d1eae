import type { Vendor } from '@model-gateway/provider-kit';
import { tencentVod as declared } from './declared.ts';

export const tencentVod: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).tencentVod };
