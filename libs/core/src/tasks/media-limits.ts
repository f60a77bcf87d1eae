import type { VideoDraft } from './shapes/shape.ts';

export interface MediaChecker {
  check(draft: VideoDraft): Promise<VideoDraft>;
  close(): Promise<void>;
}

export function createMediaChecker(): MediaChecker {
  return { check: async (draft) => draft, close: async () => undefined };
}
