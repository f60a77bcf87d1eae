import type { Vendor } from '@model-gateway/provider-kit';
import { ark as declared } from './declared.ts';

export const ark: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).ark };
