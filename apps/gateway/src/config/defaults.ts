/** What the vendors' own documentation calls the base (design.md §4). */
export const DEFAULT_BASE_URLS: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
  ark: 'https://ark.cn-beijing.volces.com/api/v3',
  dashscope: 'https://dashscope.aliyuncs.com/api/v1',
  'veo gemini': 'https://generativelanguage.googleapis.com',
  'veo vertex': 'https://us-central1-aiplatform.googleapis.com',
  'veo kie': 'https://api.kie.ai',
  'openai xai': 'https://api.x.ai/v1',
  'tencent-vod': 'https://vod.tencentcloudapi.com',
  kling: 'https://api-singapore.klingai.com',
  minimax: 'https://api.minimax.io/v1',
  mimo: 'https://api.xiaomimimo.com/v1',
};
