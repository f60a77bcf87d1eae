import type { Vendor } from '@model-gateway/provider-kit';
import { veo as declared } from './declared.ts';

export const veo: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).veo };
