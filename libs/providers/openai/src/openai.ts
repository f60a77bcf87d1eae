import {
  cancellationOfServer,
  declareApiKey,
  DECLARES_OWN_SERVER,
  readOpenAiLimits,
  STREAM_STOPS_BILLING,
  type VendorAdapter,
} from '@model-gateway/provider-kit';
import { batches } from './batches.ts';
import { files } from './files.ts';
import { authorize, QUIRKS, SETTINGS, websocketSetting, WIRES } from './declared.ts';
import { CAPABILITIES } from './generated/capabilities.ts';
import { modelList } from './model-list.ts';
import { readFault } from './fault.ts';

/** OpenAI. Other servers of its wires are the vendor `openai-compatible`; an account of this one with their address is taken for OpenAI. */
export const openai: VendorAdapter = {
  id: 'openai',
  ...CAPABILITIES,
  chat: {
    ...CAPABILITIES.chat,
    compacts: true,
    takesSockets: (settings) => settings['responses_websocket'] !== 'off',
  },
  batches,
  files,
  modelList,
  declares: {
    title: 'OpenAI',
    platform: '55',
    ...declareApiKey('https://api.openai.com/v1'),
    sufficient: DECLARES_OWN_SERVER.sufficient,
    wires: WIRES,
    settings: {
      ...SETTINGS,
      ...websocketSetting('Whether responses that come over a WebSocket are asked for over one; on unless said.'),
    },
    quirks: QUIRKS,
    streamCancellation: (account) => cancellationOfServer({ ...account, isVendor: true }) ?? STREAM_STOPS_BILLING,
    chatQuirks: {
      cache_marks: 'prompt_cache_breakpoint',
      custom_tools: true,
      image_output: false,
      max_tokens_field: 'max_completion_tokens',
      prompt_cache_key: true,
      video_input: false,
    },
  },
  authorize,
  readFault,
  readLimits: readOpenAiLimits,
};
