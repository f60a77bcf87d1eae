// Written by tools/contracts.mjs from apps/gateway/config/catalogue.yaml. Change it there, then run: node tools/contracts.mjs
/** The built-in chat models and their other names. */
export type ChatModelCode =
  | 'gpt-5.2'
  | 'gpt-5.2-2025-12-11'
  | 'gpt-5.2-pro'
  | 'gpt-5-mini'
  | 'gpt-5-mini-2025-08-07'
  | 'gpt-6.1-terra'
  | 'gpt-5.6-sol'
  | 'gpt-5.6'
  | 'gpt-5.6-terra'
  | 'gpt-5.6-luna'
  | 'gpt-5.5'
  | 'gpt-5.5-pro'
  | 'gpt-5.4'
  | 'gpt-5.4-mini'
  | 'gpt-5.4-nano'
  | 'gpt-5.3-codex'
  | 'gpt-audio-mini'
  | 'claude-sonnet-4-5'
  | 'claude-sonnet-4-5-20250929'
  | 'claude-sonnet-5'
  | 'claude-sonnet-5[1m]'
  | 'claude-opus-4-8'
  | 'claude-opus-4-8[1m]'
  | 'claude-fable-5-1'
  | 'claude-fable-5'
  | 'claude-opus-5-5'
  | 'claude-opus-5'
  | 'claude-sonnet-5-5'
  | 'claude-haiku-5-5'
  | 'claude-haiku-4-5'
  | 'claude-haiku-4-5-20251001'
  | 'gemini-3.1-pro'
  | 'gemini-3.1-pro-preview'
  | 'gemini-3.1-pro-preview-customtools'
  | 'gemini-2.5-flash'
  | 'gemini-3.8-flash'
  | 'gemini-3.7-flash'
  | 'gemini-3.6-flash'
  | 'gemini-3.1-flash-lite'
  | 'gemini-3.5-flash-lite'
  | 'gemini-3-pro-image'
  | 'gemini-3-pro-image-preview'
  | 'qwen3-max'
  | 'qwen3.7-max'
  | 'qwen3.7-plus'
  | 'doubao-seed-1-8'
  | 'doubao-seed-1-8-251228'
  | 'deepseek-v4-flash'
  | 'deepseek-v4-pro'
  | 'deepseek-chat'
  | 'deepseek-reasoner'
  | 'grok-4.5'
  | 'grok-4.3'
  | 'grok-4'
  | 'azure/gpt-5.2'
  | 'azure/gpt-5-mini'
  | 'azure/gpt-5.4'
  | 'azure/gpt-5.6-sol'
  | 'azure/gpt-5.6-terra'
  | 'azure/gpt-5.6-luna'
  | 'vertex/gemini-2.5-flash'
  | 'vertex/gemini-3.5-flash-lite'
  | 'vertex/claude-opus-4-8'
  | 'vertex/claude-sonnet-5'
  | 'vertex/claude-haiku-4-5'
  | 'bedrock/claude-opus-4-7'
  | 'bedrock/claude-haiku-4-5'
  | 'bedrock/glm-5'
  | 'bedrock/kimi-k2.5'
  | 'bedrock/deepseek-v3.2'
  | 'bedrock/minimax-m2.5'
  | 'local-llama';

/** The built-in speech models and their other names. */
export type SpeechModelCode =
  | 'mimo-v2.5-tts'
  | 'gpt-4o-mini-tts'
  | 'elevenlabs/eleven_multilingual_v2'
  | 'elevenlabs/eleven_v3'
  | 'elevenlabs/eleven_flash_v2_5'
  | 'deepgram/aura-2'
  | 'cartesia/sonic-3'
  | 'azure-speech/neural'
  | 'google/chirp3-hd'
  | 'google/gemini-2.5-flash-tts';

/** The built-in music models and their other names. */
export type MusicModelCode = 'elevenlabs/music_v2' | 'elevenlabs/text_to_sound_v2' | 'vertex/lyria-002';

/** The built-in transcription models and their other names. */
export type TranscriptionModelCode =
  | 'whisper-1'
  | 'gpt-4o-transcribe'
  | 'gpt-4o-mini-transcribe'
  | 'gpt-4o-transcribe-diarize'
  | 'gpt-realtime-whisper'
  | 'elevenlabs/scribe_v2'
  | 'deepgram/nova-3'
  | 'deepgram/nova-3-diarize'
  | 'cartesia/ink-whisper'
  | 'assemblyai/universal-3-pro'
  | 'assemblyai/universal-3-pro-diarize'
  | 'assemblyai/universal-2'
  | 'azure-speech/fast-transcription'
  | 'google/chirp_2';

/** The built-in realtime models and their other names. */
export type RealtimeModelCode =
  | 'gpt-realtime-2'
  | 'gpt-realtime-2.1-mini'
  | 'gemini-2.5-flash-native-audio'
  | 'gemini-2.5-flash-native-audio-preview-12-2025';

/** The built-in embedding models and their other names. */
export type EmbeddingModelCode =
  | 'text-embedding-3-small'
  | 'text-embedding-3-large'
  | 'azure/text-embedding-3-large'
  | 'gemini-embedding-001'
  | 'vertex/gemini-embedding-001'
  | 'bedrock/titan-embed-text-v2'
  | 'bedrock/cohere-embed-v4'
  | 'text-embedding-v4'
  | 'doubao-embedding-large'
  | 'doubao-embedding-large-text-250515'
  | 'embed-v4.0'
  | 'embed-multilingual-v3.0'
  | 'voyage-4-large'
  | 'voyage-4'
  | 'voyage-4-lite'
  | 'voyage-code-3'
  | 'voyage-multimodal-3.5'
  | 'jina-embeddings-v3'
  | 'jina-embeddings-v4';

/** The built-in moderation models and their other names. */
export type ModerationModelCode = 'omni-moderation-latest' | 'omni-moderation-2024-09-26';

/** The built-in rerank models and their other names. */
export type RerankModelCode =
  | 'qwen3-rerank'
  | 'gte-rerank-v2'
  | 'rerank-v4.0-pro'
  | 'rerank-v4.0-fast'
  | 'rerank-v3.5'
  | 'rerank-2.5'
  | 'rerank-2.5-lite'
  | 'bedrock/cohere-rerank-v3.5'
  | 'bedrock/amazon-rerank-v1'
  | 'jina-reranker-v2-base-multilingual';

/** The body that each built-in image model takes. */
export interface ImageShapes {
  readonly 'doubao-seedream-4-5': 'prompt';
  readonly 'doubao-seedream-4-0': 'prompt';
  readonly 'qwen-image-2.0': 'messages';
  readonly 'wan2.6-t2i': 'messages';
  readonly 'gpt-image-2': 'prompt';
  readonly 'qwen-image-edit-plus': 'prompt';
  readonly 'stable-image-ultra': 'prompt';
  readonly 'stable-image-core': 'prompt';
  readonly 'stable-image-inpaint': 'prompt';
  readonly 'sd3.5-large': 'prompt';
  readonly 'sd3.5-large-turbo': 'prompt';
  readonly 'sd3.5-medium': 'prompt';
  readonly 'sd3.5-flash': 'prompt';
  readonly 'ideogram-4-turbo': 'prompt';
  readonly 'ideogram-4': 'prompt';
  readonly 'ideogram-4-quality': 'prompt';
  readonly 'ideogram-3-turbo': 'prompt';
  readonly 'ideogram-3': 'prompt';
  readonly 'ideogram-3-quality': 'prompt';
  readonly 'recraft-v4.1': 'prompt';
  readonly 'recraft-v4.1-pro': 'prompt';
  readonly 'recraft-v3': 'prompt';
  readonly 'fal/flux-schnell': 'prompt';
  readonly 'fal/flux-dev': 'prompt';
  readonly 'fal/flux-pro-1.1-ultra': 'prompt';
  readonly 'fal/flux-kontext-pro': 'prompt';
  readonly 'replicate/flux-schnell': 'prompt';
  readonly 'replicate/flux-1.1-pro': 'prompt';
  readonly 'replicate/flux-kontext-pro': 'prompt';
  readonly 'flux-kontext-pro': 'prompt';
  readonly 'flux-kontext-max': 'prompt';
  readonly 'flux-pro-1.1-ultra': 'prompt';
  readonly 'flux-pro-1.1': 'prompt';
  readonly 'flux-2-pro': 'prompt';
  readonly 'runway/gen4_image': 'prompt';
  readonly 'luma/photon-1': 'prompt';
  readonly 'bedrock/stable-image-ultra': 'prompt';
  readonly 'bedrock/stable-image-core': 'prompt';
  readonly 'bedrock/sd3.5-large': 'prompt';
}

/** The body that each built-in video model takes. */
export interface VideoShapes {
  readonly 'doubao-seedance-2-0-fast': 'content';
  readonly 'doubao-seedance-2-0': 'content';
  readonly 'happyhorse-1.0-t2v': 'input';
  readonly 'happyhorse-1.0-i2v': 'input';
  readonly 'happyhorse-1.0-r2v': 'input';
  readonly 'happyhorse-1.0-video-edit': 'input';
  readonly 'veo-3.1': 'image-urls';
  readonly 'veo-3.1-fast': 'image-urls';
  readonly 'kling-v3-omni': 'omni';
  readonly 'kling-v3': 'omni';
  readonly 'MiniMax-Hailuo-2.3': 'prompt';
  readonly 'MiniMax-Hailuo-02': 'prompt';
  readonly 'sora-2': 'seconds';
  readonly 'grok-imagine-video': 'seconds';
  readonly 'fal/kling-2.5-turbo-pro': 'prompt';
  readonly 'fal/veo-3.1-fast': 'prompt';
  readonly 'replicate/kling-2.5-turbo-pro': 'prompt';
  readonly 'replicate/seedance-1-pro': 'prompt';
  readonly 'runway/gen4.5': 'prompt';
  readonly 'runway/gen4_turbo': 'prompt';
  readonly 'luma/ray-2': 'prompt';
  readonly 'pixverse/v6': 'prompt';
  readonly 'flux-3-video': 'prompt';
}
