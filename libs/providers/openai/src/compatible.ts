import { readOpenAiLimits, type VendorAdapter } from '@model-gateway/provider-kit';
import * as own from './compatible/generated/capabilities.ts';
import { authorize, openaiCompatible as declared, QUIRKS } from './declared.ts';
import { readFault } from './fault.ts';
import * as generated from './generated/capabilities.ts';
import { modelList } from './model-list.ts';

export const openaiCompatible: VendorAdapter = {
  ...declared,
  ...generated.CAPABILITIES,
  ...own.CAPABILITIES,
  chat: { ...generated.CAPABILITIES.chat, takesSockets: ({ responses_websocket: word }) => word === 'on' },
  modelList,
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
  declares: { ...declared.declares, quirks: { ...generated.QUIRKS, ...QUIRKS, ...own.QUIRKS } },
};
