/** Model servers of an operator's own, which the gateway can find and ask. */
export const SERVERS = ['ollama', 'vllm', 'sglang', 'llamacpp', 'lmstudio', 'tgi', 'localai', 'xinference'] as const;
export type ServerName = (typeof SERVERS)[number];
