import { readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { authorize, openai as declared, QUIRKS } from './declared.ts';
import { readFault } from './fault.ts';
import { files } from './files.ts';
import * as generated from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export const openai: VendorAdapter = {
  ...declared,
  ...generated.CAPABILITIES,
  chat: {
    ...generated.CAPABILITIES.chat,
    compacts: true,
    takesSockets: (settings) => settings['responses_websocket'] !== 'off',
  },
  batches,
  files,
  modelList,
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
  declares: { ...declared.declares, quirks: { ...generated.QUIRKS, ...QUIRKS } },
};
