// Written by tools/contracts.mjs from the adapters of the vendors. Then run: node tools/contracts.mjs
import type { VendorFacts } from '@model-gateway/provider-kit';

/** By the `vendor` word of an account. */
export const VENDOR_FACTS: Readonly<Record<string, VendorFacts>> = {
  openai: {
    capabilities: ['chat', 'images', 'videos', 'speech', 'transcriptions', 'embeddings', 'moderations', 'realtime'],
    dialects: ['openai-chat', 'openai-responses', 'openai-completions'],
    listsModels: true,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
        base64: {
          type: 'flag',
          about: 'Whether the server is asked for base64 where callers want it; true unless said.',
        },
        token_ids: {
          type: 'flag',
          about: 'Whether the model takes token ids of OpenAI’s tokenizer; true unless said.',
        },
      },
      transcriptions: {
        stream: {
          type: 'flag',
          about: 'Whether the vendor sends transcripts as events; all models but Whisper’s unless said.',
        },
      },
      images: {
        gpt_image: {
          type: 'flag',
          about: 'Whether the model takes what gpt-image models take; told by its name unless said.',
        },
        sizes: {
          values: ['free', 'any'],
          type: 'texts',
          about: 'The sizes the model makes; `free` within gpt-image’s rules, `any` to send what the caller wrote.',
        },
      },
      speech: {
        stream_format: {
          values: ['sse', 'audio'],
          about: 'How the vendor is asked to stream; `sse` says what it counted.',
        },
        max_characters: { type: 'count', about: 'The longest text of one request, in characters; 4096 unless said.' },
      },
    },
  },
  'openai-compatible': {
    capabilities: [
      'chat',
      'images',
      'videos',
      'speech',
      'transcriptions',
      'embeddings',
      'moderations',
      'rerank',
      'realtime',
    ],
    dialects: ['openai-chat', 'openai-responses', 'openai-completions'],
    listsModels: true,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
        base64: {
          type: 'flag',
          about: 'Whether the server is asked for base64 where callers want it; true unless said.',
        },
        token_ids: {
          type: 'flag',
          about: 'Whether the model takes token ids of OpenAI’s tokenizer; true unless said.',
        },
      },
      transcriptions: {
        stream: {
          type: 'flag',
          about: 'Whether the vendor sends transcripts as events; all models but Whisper’s unless said.',
        },
      },
      images: {
        gpt_image: {
          type: 'flag',
          about: 'Whether the model takes what gpt-image models take; told by its name unless said.',
        },
        sizes: {
          values: ['free', 'any'],
          type: 'texts',
          about: 'The sizes the model makes; `free` within gpt-image’s rules, `any` to send what the caller wrote.',
        },
      },
      speech: {
        stream_format: {
          values: ['sse', 'audio'],
          about: 'How the vendor is asked to stream; `sse` says what it counted.',
        },
        max_characters: { type: 'count', about: 'The longest text of one request, in characters; 4096 unless said.' },
      },
    },
  },
  azure: {
    capabilities: ['chat', 'images', 'speech', 'transcriptions', 'embeddings', 'realtime'],
    dialects: ['openai-chat', 'openai-responses', 'openai-completions'],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
        base64: {
          type: 'flag',
          about: 'Whether the server is asked for base64 where callers want it; true unless said.',
        },
        token_ids: {
          type: 'flag',
          about: 'Whether the model takes token ids of OpenAI’s tokenizer; true unless said.',
        },
      },
      transcriptions: {
        stream: {
          type: 'flag',
          about: 'Whether the vendor sends transcripts as events; all models but Whisper’s unless said.',
        },
      },
      images: {
        gpt_image: {
          type: 'flag',
          about: 'Whether the model takes what gpt-image models take; told by its name unless said.',
        },
        sizes: {
          values: ['free', 'any'],
          type: 'texts',
          about: 'The sizes the model makes; `free` within gpt-image’s rules, `any` to send what the caller wrote.',
        },
      },
      speech: {
        stream_format: {
          values: ['sse', 'audio'],
          about: 'How the vendor is asked to stream; `sse` says what it counted.',
        },
        max_characters: { type: 'count', about: 'The longest text of one request, in characters; 4096 unless said.' },
      },
    },
  },
  'azure-speech': {
    capabilities: ['speech', 'transcriptions'],
    dialects: [],
    listsModels: false,
    signsBodies: false,
    quirks: {
      speech: {
        voices: { type: 'names', about: 'The vendor’s voices by names that callers may use, such as `alloy`.' },
        default_voice: { type: 'text', about: 'The voice of requests that name none.' },
      },
    },
  },
  cohere: {
    capabilities: ['chat', 'embeddings', 'rerank'],
    dialects: ['openai-chat'],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
    },
  },
  jina: {
    capabilities: ['embeddings', 'rerank'],
    dialects: [],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
    },
  },
  voyage: {
    capabilities: ['embeddings', 'rerank'],
    dialects: [],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
    },
  },
  ollama: {
    capabilities: ['chat', 'embeddings'],
    dialects: ['openai-chat'],
    listsModels: true,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
    },
  },
  anthropic: {
    capabilities: ['chat'],
    dialects: ['anthropic-messages'],
    listsModels: true,
    signsBodies: false,
    quirks: {},
  },
  bedrock: {
    capabilities: ['chat', 'images', 'embeddings', 'rerank'],
    dialects: ['anthropic-messages'],
    listsModels: false,
    signsBodies: true,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
    },
  },
  gemini: {
    capabilities: ['chat', 'images', 'embeddings', 'realtime'],
    dialects: ['gemini-generate'],
    listsModels: true,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
      images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } },
    },
  },
  vertex: {
    capabilities: ['chat', 'images', 'music', 'embeddings'],
    dialects: ['gemini-generate', 'anthropic-messages', 'openai-chat'],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
      images: { image_size: { type: 'flag', about: 'Whether the model makes more than one size.' } },
    },
  },
  'google-speech': {
    capabilities: ['speech', 'transcriptions'],
    dialects: [],
    listsModels: false,
    signsBodies: false,
    quirks: {
      speech: {
        voices: { type: 'names', about: 'The vendor’s voices by names that callers may use, such as `alloy`.' },
        default_voice: { type: 'text', about: 'The voice of requests that name none.' },
      },
    },
  },
  ark: {
    capabilities: ['chat', 'images', 'videos', 'embeddings'],
    dialects: ['openai-chat', 'openai-responses'],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
      images: {
        seed: { type: 'flag', about: 'Whether the model takes a seed.' },
        output_format: { type: 'flag', about: 'Whether the model can be told the format of its pictures.' },
        negative_prompt: { type: 'flag', about: 'Whether the model takes a negative prompt.' },
        stream: { type: 'flag', about: 'Whether the model can stream its pictures.' },
      },
    },
  },
  dashscope: {
    capabilities: ['chat', 'images', 'videos', 'embeddings', 'rerank'],
    dialects: ['openai-chat', 'openai-responses'],
    listsModels: false,
    signsBodies: false,
    quirks: {
      embeddings: {
        max_inputs: {
          type: 'count',
          about: 'Texts of one call at most; longer lists are asked in several. The vendor’s own unless said.',
        },
      },
      images: {
        wire: {
          values: ['sync', 'text2image', 'image-generation'],
          about: 'The way the model is asked: at once, or as one of the two kinds of task.',
        },
      },
    },
  },
  veo: { capabilities: ['videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  'tencent-vod': {
    capabilities: ['videos'],
    dialects: [],
    listsModels: false,
    signsBodies: true,
    quirks: {
      videos: {
        model_name: {
          type: 'text',
          about: 'The vendor’s ModelName; wins over the name in `model`, together with `model_version`.',
        },
        model_version: { type: 'text', about: 'The vendor’s ModelVersion.' },
      },
    },
  },
  kling: { capabilities: ['videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  minimax: { capabilities: ['videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  mimo: {
    capabilities: ['chat', 'speech'],
    dialects: ['openai-chat'],
    listsModels: false,
    signsBodies: false,
    quirks: {},
  },
  elevenlabs: {
    capabilities: ['speech', 'music', 'transcriptions'],
    dialects: [],
    listsModels: true,
    signsBodies: false,
    quirks: {
      speech: {
        voices: { type: 'names', about: 'The vendor’s voices by names that callers may use, such as `alloy`.' },
        default_voice: { type: 'text', about: 'The voice of requests that name none.' },
      },
    },
  },
  deepgram: {
    capabilities: ['speech', 'transcriptions'],
    dialects: [],
    listsModels: true,
    signsBodies: false,
    quirks: {
      speech: {
        voices: { type: 'names', about: 'The vendor’s voices by names that callers may use, such as `alloy`.' },
        default_voice: { type: 'text', about: 'The voice of requests that name none.' },
      },
    },
  },
  cartesia: {
    capabilities: ['speech', 'transcriptions'],
    dialects: [],
    listsModels: true,
    signsBodies: false,
    quirks: {
      speech: {
        voices: { type: 'names', about: 'The vendor’s voices by names that callers may use, such as `alloy`.' },
        default_voice: { type: 'text', about: 'The voice of requests that name none.' },
      },
    },
  },
  assemblyai: { capabilities: ['transcriptions'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  stability: { capabilities: ['images'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  fal: {
    capabilities: ['images', 'videos'],
    dialects: [],
    listsModels: true,
    signsBodies: false,
    quirks: {
      videos: {
        image_model: {
          about: 'The model that is asked when a picture is given, where the maker has another one for that.',
          type: 'text',
        },
        first_frame_field: { about: 'What the model calls the first frame.', type: 'text' },
        last_frame_field: { about: 'What the model calls the last frame.', type: 'text' },
        reference_field: {
          about:
            'What the model calls reference images; without it, it takes none. A name that ends in [] takes a list.',
          type: 'text',
        },
        duration_format: {
          about: 'How the model writes a duration: 5, "5" or "5s".',
          values: ['number', 'text', 'seconds'],
        },
      },
      images: {
        image_model: {
          about: 'The model that is asked when a picture is given, where the maker has another one for that.',
          type: 'text',
        },
        image_field: {
          about: 'What the model calls the picture to work from. A name that ends in [] takes a list.',
          type: 'text',
        },
        count_field: {
          about: 'What the model calls the number of pictures; `none`: it makes one at a time.',
          type: 'text',
        },
        size_format: {
          about: 'How the model writes a size: width and height, a ratio, or not at all.',
          values: ['pixels', 'ratio', 'none'],
        },
      },
    },
  },
  replicate: {
    capabilities: ['images', 'videos'],
    dialects: [],
    listsModels: true,
    signsBodies: false,
    quirks: {
      videos: {
        image_model: {
          about: 'The model that is asked when a picture is given, where the maker has another one for that.',
          type: 'text',
        },
        first_frame_field: { about: 'What the model calls the first frame.', type: 'text' },
        last_frame_field: { about: 'What the model calls the last frame.', type: 'text' },
        reference_field: {
          about:
            'What the model calls reference images; without it, it takes none. A name that ends in [] takes a list.',
          type: 'text',
        },
        duration_format: {
          about: 'How the model writes a duration: 5, "5" or "5s".',
          values: ['number', 'text', 'seconds'],
        },
      },
      images: {
        image_model: {
          about: 'The model that is asked when a picture is given, where the maker has another one for that.',
          type: 'text',
        },
        image_field: {
          about: 'What the model calls the picture to work from. A name that ends in [] takes a list.',
          type: 'text',
        },
        count_field: {
          about: 'What the model calls the number of pictures; `none`: it makes one at a time.',
          type: 'text',
        },
        size_format: {
          about: 'How the model writes a size: width and height, a ratio, or not at all.',
          values: ['pixels', 'ratio', 'none'],
        },
      },
    },
  },
  ideogram: {
    capabilities: ['images'],
    dialects: [],
    listsModels: false,
    signsBodies: false,
    quirks: {
      images: {
        rendering_speed: {
          values: ['FLASH', 'TURBO', 'DEFAULT', 'QUALITY'],
          about: 'How fast and how well the offer draws, which its price follows; DEFAULT unless said.',
        },
      },
    },
  },
  recraft: { capabilities: ['images'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  bfl: { capabilities: ['images', 'videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  runway: { capabilities: ['images', 'videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  luma: { capabilities: ['images', 'videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
  pixverse: { capabilities: ['videos'], dialects: [], listsModels: false, signsBodies: false, quirks: {} },
};
