import type { Vendor } from '@model-gateway/provider-kit';
import { kling as declared } from './declared.ts';

export const kling: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).kling };
