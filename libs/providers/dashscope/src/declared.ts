import { declareApiKey, STREAM_KEEPS_BILLING, type DeclaredVendor } from '@model-gateway/provider-kit';

/** Alibaba Cloud Model Studio (DashScope): HappyHorse and Wan videos, Qwen and Wan pictures, chat in compatible mode. */
export const dashscope: DeclaredVendor = {
  id: 'dashscope',
  declares: {
    title: 'Alibaba DashScope',
    platform: '17',
    ...declareApiKey('https://dashscope.aliyuncs.com/api/v1'),
    settings: { workspace: { type: 'text', about: 'The workspace that is asked, sent as `x-dashscope-workspace`.' } },
    streamCancellation: () => STREAM_KEEPS_BILLING,
  },
};
