import type { Vendor } from '@model-gateway/provider-kit';
import { dashscope as declared } from './declared.ts';

export const dashscope: Vendor = { ...declared, load: async () => (await import('./adapter.ts')).dashscope };
