import { type VendorAdapter } from '@model-gateway/provider-kit';
import { readFault } from './fault.ts';
import { CAPABILITIES, QUIRKS } from './generated/capabilities.ts';
import { elevenlabs as declared } from './declared.ts';
import { modelList } from './model-list.ts';

export const elevenlabs: VendorAdapter = {
  ...declared,
  ...CAPABILITIES,
  modelList,
  authorize: (_request, { credentials }) => ({ 'xi-api-key': credentials['api_key'] ?? '' }),
  readFault,
  declares: { ...declared.declares, quirks: QUIRKS },
};
