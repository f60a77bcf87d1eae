import { veo, vertex } from './google-video/index.ts';
import { kie } from './kie/index.ts';
import { xai } from './xai/index.ts';
import { tencentVod } from './tencent-vod/index.ts';
import { anthropic } from './anthropic/index.ts';
import { ark } from './ark/index.ts';
import type { Vendor } from './core/vendor.ts';
import { dashscope } from './dashscope/index.ts';
import { gemini } from './gemini/index.ts';
import { kling } from './kling/index.ts';
import { mimo } from './mimo/index.ts';
import { minimax } from './minimax/index.ts';
import { openai } from './openai/index.ts';

/** Every vendor, in no particular order. */
export function allVendors(): readonly Vendor[] {
  return [openai, anthropic, gemini, ark, dashscope, tencentVod, kling, minimax, veo, vertex, kie, mimo, xai];
}
