import type { Vendor } from '@model-gateway/provider-kit';
import { bedrock as declared } from './declared.ts';

export const bedrock: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).bedrock };
