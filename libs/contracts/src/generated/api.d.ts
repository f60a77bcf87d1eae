// Written by tools/contracts.mjs from the document in spec/. Change it there, then run: node tools/contracts.mjs
export interface paths {
  '/v1/chat/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Chat, in the chat-completions format
     * @description Answers a conversation. Every chat model can be named; with a model of another dialect the request and the reply are translated.
     *
     *     **Streaming.** `stream: true` answers with server-sent events (`ChatCompletionChunk`) and ends with `data: [DONE]`.
     *
     *     **Speech.** With a speech model the text to speak is the `assistant` message; the `user` message before it is optional and says in natural language how to speak. Style tags
     *     may stand inside the text; singing is chosen by starting it with `(唱歌)`. `audio.voice` is one of the model's `voices`, or its default selector. Without `stream` the answer is a WAV in
     *     `choices[0].message.audio.data`; with `stream: true` and `audio.format: pcm16` the pieces of raw PCM16 (24 kHz, little-endian, mono) come in `choices[0].delta.audio.data`.
     *
     *     **Status.** Chat models answer 401, 429 and 500 where other endpoints answer 403 and 503 for an empty balance and for failing vendors; speech models answer 503 as the others do.
     */
    post: operations['createChatCompletion'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/video/generations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List video tasks
     * @description The tasks of the key's owner, newest first, through whichever endpoint they were made. To read on, give `data.next_after` of one page as `after` for the next.
     */
    get: operations['listVideoTasks'];
    put?: never;
    /**
     * Create a video task
     * @description Starts a video and answers at once. The body has one of six shapes; the model decides which (`formats` in `GET /v1/models`).
     *
     *     | Family | Shape | Model code, for example | Makes |
     *     |---|---|---|---|
     *     | A | `content` | `doubao-seedance-2-0-fast` | video from text, images, videos and audio |
     *     | B | `input` | `happyhorse-1.0-t2v`, `-i2v`, `-r2v`, `-video-edit` | text to video, image to video, reference to video, editing |
     *     | C | `image-urls` | `veo-3.1` | video with a sound track from text or images |
     *     | D | `omni` | `kling-v3-omni` | video with native sound, frames, references and subjects |
     *     | E | `prompt` | `MiniMax-Hailuo-2.3` | video from a prompt or frames |
     *     | F | `seconds` | `sora-2` | OpenAI's shape; its own path is `POST /v1/videos` |
     *
     *     The acknowledgement is sent only after the task is stored. If the vendor was asked and never answered, the job is not sent a second time: the task ends in `FAILURE` and costs nothing.
     *     A vendor's refusal of the request itself is a 400.
     */
    post: operations['createVideoTask'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/video/generations/{task_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `task_id` (or `id`) of an acknowledgement. Ids of every video family are accepted.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        task_id: components['parameters']['TaskId'];
      };
      cookie?: never;
    };
    /**
     * Read a video task
     * @description The task's record. It never calls the vendor: a poller of the gateway keeps the record up to date, so reading often gains nothing and costs nothing.
     *
     *     - **Poll**: ask again until `data.status` is `SUCCESS` or `FAILURE`.
     *     - **Wait**: with `wait=30` the answer comes as soon as the status or the progress changes, and at the latest after 30 seconds. Repeat until the end.
     *     - **Follow**: with `Accept: text/event-stream` every change is sent as an event named `task` that carries the same body. The first event is the present state; the
     *       stream ends after the end state. A comment line keeps quiet streams open; `Last-Event-ID` resumes a broken one.
     *
     *     A task that failed is still a 200 with `code: success`: the lookup succeeded. Its `status` is `FAILURE` and `fail_reason` says why. An unknown id is a 400 with the code
     *     `task_not_exist`. Tasks are visible to all keys of their owner and to nobody else.
     */
    get: operations['getVideoTask'];
    put?: never;
    post?: never;
    /**
     * Cancel a video task
     * @description Stops a task whose vendor can still stop it, and gives back what was set aside. The answer is the record, its `status` now `FAILURE` and its `fail_reason`
     *     `task cancelled`. Vendors stop a job only while it waits, and some not at all: then, and when the task has ended, the answer is a 400 with the code
     *     `task_not_cancellable` and nothing changes.
     */
    delete: operations['cancelVideoTask'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List models
     * @description The model codes this key may use. The form follows the caller: OpenAI's by default, Anthropic's when the request has an `anthropic-version` header, Google's when it has an
     *     `x-goog-api-key` header. OpenAI's form carries the gateway's own fields: kind, formats, endpoints, limits, price.
     */
    get: operations['listModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Is the process alive
     * @description Answers as long as the process runs. Nothing is looked up.
     */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Can it take requests
     * @description Says whether new requests should be sent to this process: the database answers, the configuration is loaded, and it is not shutting down.
     */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * This document
     * @description The document you are reading, in one piece.
     */
    get: operations['getOpenapi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description One message of a conversation. */
    ChatMessage: {
      /**
       * @description Who speaks.
       * @enum {string}
       */
      role: 'developer' | 'system' | 'user' | 'assistant' | 'tool' | 'function';
      /**
       * @description Text, or a list of parts. A user message takes `{type: text, text}`, `{type: image_url, image_url: {url, detail}}` with a web address or a
       *     `data:` URL, `{type: input_audio, input_audio: {data, format}}` and `{type: file, file: {file_data, filename}}`. Null only beside `tool_calls`.
       */
      content?:
        | string
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description Tells several speakers of one role apart. */
      name?: string;
      /** @description The calls an assistant message made: `{id, type: function, function: {name, arguments}}`. */
      tool_calls?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description In a `tool` message, the call it answers. */
      tool_call_id?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description How speech is made. For a speech model without `stream` use `wav`; with `stream: true` use `pcm16`: 24 kHz, 16 bit, little-endian, mono. */
    ChatAudioOptions:
      | ({
          /** @description `wav` for an answer in one piece, `pcm16` for a stream; some models offer more, such as `mp3`. */
          format?: string;
          /** @description A preset voice of the model, as listed in `voices` by `GET /v1/models`. An unknown voice is refused with 400 and the list of known ones. */
          voice?:
            | string
            | {
                [key: string]: unknown;
              };
        } & {
          [key: string]: unknown;
        })
      | null;
    /**
     * @description A chat request in OpenAI's chat-completions form. Fields that are not listed here pass through to a vendor that speaks this dialect.
     *     For a model that is reached through another dialect, what cannot be carried is named in the `x-gateway-dropped` response header; a field whose
     *     loss would change the meaning is refused with 400.
     */
    ChatCompletionRequest: {
      /** @description The model code, as listed by `GET /v1/models`. */
      model: string;
      /**
       * @description The conversation, oldest message first. For speech synthesis: the text to speak is the `assistant` message; an optional `user` message
       *     before it says how to speak.
       */
      messages: components['schemas']['ChatMessage'][];
      /** @description True for server-sent events, ending with the line `data: [DONE]`. Without it the answer comes in one piece. */
      stream?: boolean | null;
      /** @description Options of a stream. */
      stream_options?:
        | ({
            /** @description True for a last chunk with empty `choices` and the `usage` of the whole request. */
            include_usage?: boolean;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description The most tokens the answer may take, reasoning included. */
      max_completion_tokens?: number | null;
      /** @description The older name of `max_completion_tokens`; some vendors know only this one. */
      max_tokens?: number | null;
      /** @description 0 to 2; higher is more varied. Reasoning models of several vendors refuse it. */
      temperature?: number | null;
      /** @description Nucleus sampling, 0 to 1. */
      top_p?: number | null;
      /** @description How many answers. More than one is refused for vendors that give only one. */
      n?: number | null;
      /** @description One text, or up to four, at which the answer stops. */
      stop?: string | string[] | null;
      /** @description Asks for repeatable sampling where the vendor offers it. */
      seed?: number | null;
      /** @description -2 to 2; above zero discourages topics already mentioned. */
      presence_penalty?: number | null;
      /** @description -2 to 2; above zero discourages repeated words. */
      frequency_penalty?: number | null;
      /** @description True for the log probabilities of the output tokens. */
      logprobs?: boolean | null;
      /** @description 0 to 20 alternatives per token. */
      top_logprobs?: number | null;
      /** @description Structured output: `{type: text}`, `{type: json_object}` or `{type: json_schema, json_schema: {name, schema, strict}}`. */
      response_format?: {
        [key: string]: unknown;
      } | null;
      /** @description Functions the model may call, each `{type: function, function: {name, description, parameters}}`. */
      tools?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description `auto`, `none`, `required`, or the one function to call: `{type: function, function: {name}}`. */
      tool_choice?:
        | string
        | {
            [key: string]: unknown;
          }
        | null;
      /** @description False for at most one tool call per answer. */
      parallel_tool_calls?: boolean | null;
      /** @description How hard the model should think: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Each model supports some of these. */
      reasoning_effort?: string | null;
      /** @description Lets the model search the web, where it can: `{search_context_size, user_location}`. */
      web_search_options?: {
        [key: string]: unknown;
      } | null;
      /** @description What the answer may contain, `text` and `audio`. */
      modalities?: string[] | null;
      /** @description Speech synthesis and spoken answers. */
      audio?: components['schemas']['ChatAudioOptions'];
      /** @description Up to 16 pairs of text, for the caller's own use. */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description A stable label of the end user. */
      user?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Synthesized or spoken audio. */
    ChatAudio: {
      /** @description The audio's identifier. */
      id?: string | null;
      /** @description The audio, base64. */
      data: string;
      /** @description Unix seconds until which the vendor remembers the audio by its id. */
      expires_at?: number | null;
      /** @description What is said. */
      transcript?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The assistant's message. */
    ChatAnswer: {
      /** @constant */
      role: 'assistant';
      /** @description The text. Null or absent when the answer is speech or tool calls. */
      content?: string | null;
      /** @description What the model said instead of an answer, when it refused. */
      refusal?: string | null;
      /** @description Citations of a web search. */
      annotations?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description Calls to make: `{id, type: function, function: {name, arguments}}`, the arguments as JSON text. */
      tool_calls?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description The reasoning text, of models that show it. */
      reasoning_content?: string | null;
      audio?: components['schemas']['ChatAudio'] | null;
    } & {
      [key: string]: unknown;
    };
    /** @description One answer. */
    ChatChoice: {
      /** @description Its place in the list, from 0. */
      index: number;
      /** @description Why it ended, `stop`, `length`, `tool_calls` or `content_filter`. */
      finish_reason?: string | null;
      /** @description Log probabilities, when asked for. */
      logprobs?: {
        [key: string]: unknown;
      } | null;
      message: components['schemas']['ChatAnswer'];
    } & {
      [key: string]: unknown;
    };
    /** @description Tokens used, in OpenAI's chat form. Cached tokens are part of `prompt_tokens`, reasoning tokens are part of `completion_tokens`. */
    ChatUsage: {
      /** @description Tokens of the input. */
      prompt_tokens: number;
      /** @description Tokens of the output. */
      completion_tokens: number;
      /** @description The sum of both. */
      total_tokens: number;
      /** @description Parts of `prompt_tokens`. */
      prompt_tokens_details?:
        | ({
            /** @description Tokens of audio input. */
            audio_tokens?: number | null;
            /** @description Tokens read from the vendor's prompt cache. */
            cached_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description Parts of `completion_tokens`. */
      completion_tokens_details?:
        | ({
            /** @description Tokens of a given prediction that appeared in the output. */
            accepted_prediction_tokens?: number | null;
            /** @description Tokens of audio output. */
            audio_tokens?: number | null;
            /** @description Tokens spent on reasoning. */
            reasoning_tokens?: number | null;
            /** @description Tokens of a given prediction that did not appear; still charged. */
            rejected_prediction_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The answer in one piece. */
    ChatCompletion: {
      /** @description The vendor's id of the answer. */
      id: string;
      /** @constant */
      object: 'chat.completion';
      /** @description Unix time in seconds. */
      created: number;
      /** @description The model that answered. */
      model: string;
      /** @description The vendor's service level that was used. */
      service_tier?: string | null;
      /** @description The vendor's mark of the model's configuration. */
      system_fingerprint?: string | null;
      /** @description The answers; one, unless `n` asked for more. */
      choices: components['schemas']['ChatChoice'][];
      usage?: components['schemas']['ChatUsage'] | null;
    } & {
      [key: string]: unknown;
    };
    /**
     * @description One event of a stream. All chunks of an answer share `id`, `created` and `model`; the pieces of `delta` are to be appended. The stream ends with
     *     the line `data: [DONE]`. An error after the first byte is an event `{"error": {…}}`, and the stream then ends without a `finish_reason`.
     */
    ChatCompletionChunk: {
      id: string;
      /** @constant */
      object: 'chat.completion.chunk';
      created: number;
      model: string;
      service_tier?: string | null;
      system_fingerprint?: string | null;
      /** @description Empty in the usage chunk. */
      choices: ({
        index: number;
        /** @description The next piece. */
        delta: {
          role?: string;
          content?: string | null;
          refusal?: string | null;
          reasoning_content?: string | null;
          /** @description Pieces of tool calls by `index`. The first piece of a call carries `id`, `type` and `function.name`; the later ones only `function.arguments`. */
          tool_calls?:
            | ({
                index: number;
                id?: string | null;
                type?: string | null;
                function?: {
                  name?: string | null;
                  arguments?: string | null;
                } & {
                  [key: string]: unknown;
                };
              } & {
                [key: string]: unknown;
              })[]
            | null;
          /** @description A piece of audio; `data` is base64. */
          audio?: {
            [key: string]: unknown;
          } | null;
        } & {
          [key: string]: unknown;
        };
        finish_reason?: string | null;
        logprobs?: {
          [key: string]: unknown;
        } | null;
      } & {
        [key: string]: unknown;
      })[];
      usage?: components['schemas']['ChatUsage'] | null;
    } & {
      [key: string]: unknown;
    };
    /**
     * @description The gateway's own word for what went wrong; the same in every dialect and stable across releases. Decide on this, not on the message.
     *
     *     | Code | Status | What it means, and what helps |
     *     |---|---|---|
     *     | `invalid_request` | 400 | The body, a parameter or a medium is wrong. The message names the place and what would be right. |
     *     | `model_not_found` | 400 (404 on `/v1/models/{model}`) | No such model code, or it cannot be reached through this endpoint. `GET /v1/models` lists what can. |
     *     | `content_refused` | 400 | A content filter refused the input. Repeating it will not help. |
     *     | `task_not_exist` | 400 | No task of this owner has this id. |
     *     | `task_not_cancellable` | 400 | The task has ended, or its vendor cannot stop a job once taken. |
     *     | `unauthenticated` | 401 | The key is missing, unknown, expired or revoked. |
     *     | `forbidden` | 403 | The key may not use this model, this address, or this file link. |
     *     | `insufficient_quota` | 403 (429 on `/v1/chat/completions` and `/v1/videos`) | The balance or a spend cap is used up. Waiting does not help until money or a new day arrives. |
     *     | `not_found` | 404 | No such route, video, file or record. |
     *     | `method_not_allowed` | 405 | The path exists, the method does not; `Allow` lists those that do. |
     *     | `conflict` | 409 | This `Idempotency-Key` was used with another body, or the record changed in the meantime. |
     *     | `body_too_large` | 413 | The body is over 64 MB. |
     *     | `unsupported_media_type` | 415 | The `Content-Type` is not one this endpoint reads. |
     *     | `range_not_satisfiable` | 416 | The `Range` lies outside the file. |
     *     | `rate_limited` | 429 | A limit of this key was reached; `retry-after` says when to come back. |
     *     | `internal` | 500 | The gateway's own fault. Report the `x-request-id`. |
     *     | `not_implemented` | 501 | Described here, but not served by this deployment. |
     *     | `unavailable` | 503 | The gateway is shutting down, or no account serves this model at the moment. |
     *     | `submission_unknown` | 503 | A vendor was asked and never answered, so the job was not sent again. Nothing is charged. |
     *     | `upstream_rejected_key` | 503 (500) | The operator's credentials were refused. |
     *     | `upstream_rate_limited` | 503 (429) | Every vendor account for this model is at its limit; see `retry-after`. |
     *     | `upstream_malformed` | 503 (500) | A vendor's answer could not be understood, or broke off. |
     *     | `upstream_unavailable` | 503 (500) | Every vendor for this model failed or was unreachable. |
     *     | `upstream_timeout` | 503 (500) | No vendor answered in time. |
     *
     *     Statuses in brackets are those of `/v1/chat/completions` (chat models) and `/v1/videos`, where the OpenAI SDK expects 429 and 500.
     * @enum {string}
     */
    ErrorCode:
      | 'invalid_request'
      | 'model_not_found'
      | 'content_refused'
      | 'task_not_exist'
      | 'task_not_cancellable'
      | 'unauthenticated'
      | 'forbidden'
      | 'insufficient_quota'
      | 'not_found'
      | 'method_not_allowed'
      | 'conflict'
      | 'body_too_large'
      | 'unsupported_media_type'
      | 'range_not_satisfiable'
      | 'rate_limited'
      | 'internal'
      | 'not_implemented'
      | 'unavailable'
      | 'submission_unknown'
      | 'upstream_rejected_key'
      | 'upstream_rate_limited'
      | 'upstream_malformed'
      | 'upstream_unavailable'
      | 'upstream_timeout';
    /** @description What was wrong, where, and what would be right. */
    ErrorDetail: {
      /** @description One or two sentences for a person. Never contains a secret, a vendor account or an internal address. */
      message: string;
      /** @description The OpenAI class of the error, such as `invalid_request_error`, `authentication_error`, `permission_error`, `not_found_error`, `rate_limit_error`, `insufficient_quota` or `server_error`. */
      type: string;
      /** @description The place in the request, as a path such as `messages[2].content[0].image_url.url`; null when no single place is to blame. */
      param: string | null;
      /** @description The gateway's error code, or the vendor's own code where clients depend on it, such as `context_length_exceeded`. */
      code: components['schemas']['ErrorCode'] | string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The error body of OpenAI's API, which the `openai` SDK turns into its typed errors. */
    OpenAiError: {
      error: components['schemas']['ErrorDetail'];
    };
    /**
     * @description `NOT_START`: stored, the vendor has not begun. `IN_PROGRESS`: the vendor is working. `SUCCESS`: `result_url` and `finish_time` are filled.
     *     `FAILURE`: `fail_reason` says why, and nothing is charged. The last two never change again.
     * @enum {string}
     */
    VideoTaskStatus: 'NOT_START' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
    /** @description The vendor's report for family A (body shape `content`). */
    SeedancePayload: {
      /** @description The vendor's task identifier. */
      id: string;
      /** @description The vendor's model code. */
      model: string;
      /** @description The vendor's word, such as `queued`, `running`, `succeeded`, `failed`, `cancelled` or `expired`. */
      status: string;
      content?: {
        /** @description The finished video; valid for 24 hours. */
        video_url?: string;
        /** @description Its last frame as a picture, when `return_last_frame` was asked for. */
        last_frame_url?: string;
      } & {
        [key: string]: unknown;
      };
      /** @description Unix seconds. */
      created_at: number;
      /** @description Unix seconds. */
      updated_at: number;
      draft?: boolean;
      /** @description Seconds. */
      duration?: number;
      /** @description Seconds after which the vendor gives the task up, such as 172800. */
      execution_expires_after?: number;
      framespersecond?: number;
      generate_audio?: boolean;
      /** @description Aspect ratio, such as `16:9`. */
      ratio?: string;
      /** @description Such as `720p`. */
      resolution?: string;
      seed?: number;
      service_tier?: string;
      usage?: {
        completion_tokens?: number;
        total_tokens?: number;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The vendor's report for family E (body shape `prompt`). */
    HailuoPayload: {
      base_resp: {
        /** @description 0 on success; anything else is a failure. */
        status_code: number;
        status_msg: string;
      } & {
        [key: string]: unknown;
      };
      /** @description The vendor's word; `Success` on completion. */
      status: string;
      /** @description The vendor's task identifier. */
      task_id: string;
      file_id?: string;
      file?: {
        download_url?: string;
        file_id?: string;
      } & {
        [key: string]: unknown;
      };
      download_url?: string;
      video_url?: string;
      /** @description Pixels. */
      video_width?: number;
      /** @description Pixels. */
      video_height?: number;
    } & {
      [key: string]: unknown;
    };
    /** @description Everything known about one task. Reading it never calls the vendor. */
    VideoTask: {
      /** @description Internal record number. */
      id: number;
      /** @description Unix seconds. */
      created_at: number;
      /** @description Unix seconds of the last change. */
      updated_at: number;
      /** @description The task identifier. */
      task_id: string;
      /** @description The number of the vendor's adapter, as text. */
      platform: string;
      /** @description The owner of the key that made the task. */
      user_id: number;
      /** @description The price and route group of that key. */
      group: string;
      /** @description The number of the vendor account that holds the job; 0 as long as none does. */
      channel_id: number;
      /** @description The amount charged, in quota units (500,000 units are 1 US dollar). While the task runs, the amount set aside; 0 after a failure. */
      quota: number;
      /** @constant */
      action: 'generate';
      status: components['schemas']['VideoTaskStatus'];
      /** @description Why the task failed. Empty when there is no failure. */
      fail_reason: string;
      /** @description Where the finished video is. Empty before. Vendors' links expire, some within an hour; `GET /v1/videos/{video_id}/content` streams the same file. */
      result_url: string;
      /** @description Unix seconds at which the task was accepted. */
      submit_time: number;
      /** @description Unix seconds at which work began; 0 before. */
      start_time: number;
      /** @description Unix seconds at which the task ended; 0 before. */
      finish_time: number;
      /** @description Percent as text. It never falls. */
      progress: string;
      properties: {
        /** @description The prompt, or empty. */
        input: string;
        /** @description The vendor's name of the model. */
        upstream_model_name: string;
        /** @description The model code of the request. */
        origin_model_name: string;
      };
      /** @description The vendor's last report, as it came, without secrets and embedded media. Null before the first one. Its form differs per family; two are described. */
      data:
        | components['schemas']['SeedancePayload']
        | components['schemas']['HailuoPayload']
        | {
            [key: string]: unknown;
          }
        | null;
    };
    /** @description One page of tasks, newest first. */
    VideoTaskList: {
      /** @constant */
      code: 'success';
      /** @description Empty on success. */
      message: string;
      data: {
        items: components['schemas']['VideoTask'][];
        /** @description True when there are older tasks. */
        has_more: boolean;
        /** @description Give this as `after` to read the next page; null at the end. */
        next_after: string | null;
      };
    };
    /**
     * @description The error body of the task endpoints. It carries the OpenAI form under `error` and, beside it, the `code`, `message` and
     *     `data: null` that clients of the task envelope read.
     */
    TaskError: {
      error: components['schemas']['ErrorDetail'];
      code: components['schemas']['ErrorCode'];
      /** @description The same text as `error.message`. */
      message: string;
      /** @description Always null. */
      data: null;
    };
    /** @description Where a medium is. */
    MediaReference: {
      /** @description A web address, a `data:` URL with Base64, or an `asset://` identifier. */
      url: string;
    } & {
      [key: string]: unknown;
    };
    /** @description One item: a text, an image, a video or an audio. A `url` is a web address, a `data:` URL with Base64 (not for videos on the vendor's side) or an `asset://` identifier. */
    VideoContentItem: {
      /**
       * @description `text`, `image_url`, `video_url`, `audio_url`, or `draft_task` (Seedance 1.5 pro).
       * @enum {string}
       */
      type: 'text' | 'image_url' | 'video_url' | 'audio_url' | 'draft_task';
      /** @description The prompt, for `text`. About 1,000 English words or 500 Chinese characters at most. */
      text?: string;
      image_url?: components['schemas']['MediaReference'];
      video_url?: components['schemas']['MediaReference'];
      audio_url?: components['schemas']['MediaReference'];
      /**
       * @description What the medium is for. Images: `first_frame` (may be left out when it is the only image), `last_frame`, `reference_image`. Videos: `reference_video`.
       *     Audios: `reference_audio`, only together with an image or a video.
       * @enum {string}
       */
      role?: 'first_frame' | 'last_frame' | 'reference_image' | 'reference_video' | 'reference_audio';
      /** @description For `draft_task`: the vendor's id of a draft to render in full. */
      draft_task?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /**
     * @description Where to send a signed webhook when the task ends, an https address that is reachable from the internet. It is signed with the `webhook_secret` of the key; a key without
     *     one is refused with 400. See the webhook `videoTaskEnded`. The address is never passed on to the vendor.
     */
    CallbackUrl: string;
    /**
     * content (family A)
     * @description Family A, Seedance: an ordered list of items. Three modes exclude each other: **first frame** (1 image), **first and last frame** (2 images), and
     *     **multimodal reference** (1 to 9 images, up to 3 videos, up to 3 audios). Text alone is allowed too. References are named in the text by their order: “Image 1”,
     *     “Video 1”, “Audio 1”. Editing and extending a video are the reference mode with an instruction in the text.
     *
     *     | Medium | Image | Video | Audio |
     *     |---|---|---|---|
     *     | Formats | jpeg, png, webp, bmp, tiff, gif | mp4, mov | wav, mp3 |
     *     | Aspect ratio (W/H) | 0.4 to 2.5 | 0.4 to 2.5 | |
     *     | Width and height | 300 to 6000 px | 300 to 6000 px | |
     *     | File size | under 30 MB | at most 50 MB | at most 15 MB |
     *     | Resolution | | 480p, 720p | |
     *     | Pixel count | | 409600 to 927408 | |
     *     | Frame rate | | 24 to 60 FPS | |
     *     | Duration | | 2 to 15 s each, 15 s in all | 2 to 15 s each, 15 s in all |
     *     | Count | first frame 1; first and last frame 2; reference 1 to 9 | up to 3 | up to 3 |
     *
     *     The whole body may take 64 MB. Embedded media are measured before anything is paid; a violation is a 400 with the item's path, the measured value and the limit.
     *     Media given by address are checked by the vendor.
     */
    VideoContentBody: {
      /** @description The model code. */
      model: string;
      /** @description The items, in order. */
      content: components['schemas']['VideoContentItem'][];
      /** @description Seconds, 4 to 15 for Seedance 2.0; without it 5. */
      duration?: number;
      /** @description `16:9`, `4:3`, `1:1`, `3:4`, `9:16`, `21:9`, or `adaptive` to follow the input; without it `adaptive`. */
      ratio?: string;
      /** @description `480p` or `720p`; `1080p` on models that are not the fast tier. Without it `720p`. */
      resolution?: string;
      /** @description True for a visible mark; without it false. */
      watermark?: boolean;
      /** @description True for a sound track that fits the picture; without it true. */
      generate_audio?: boolean;
      /** @description From -1 (random, also when absent) to 4294967295. */
      seed?: number;
      /** @description True to get the last frame as a picture in `data.content.last_frame_url`. */
      return_last_frame?: boolean;
      /** @description `default`, or `flex` (cheaper and slower) on models that have it; Seedance 2.0 does not. */
      service_tier?: string;
      /** @description Seconds after which the vendor gives the task up, 3600 to 259200; without it 172800. */
      execution_expires_after?: number;
      /** @description True for a still camera; not for Seedance 2.0. */
      camera_fixed?: boolean;
      /** @description True for a cheap preview; only Seedance 1.5 pro. */
      draft?: boolean;
      /** @description `[{type: web_search}]` lets Seedance 2.0 look things up, for text alone. */
      tools?: {
        [key: string]: unknown;
      }[];
      /** @description A hashed label of the end user. */
      safety_identifier?: string;
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /** @description One medium of the input. */
    VideoInputMedia: {
      /**
       * @description `video` and `reference_image` for editing, `first_frame` for image to video, `reference_image` for reference to video. Wan models know more,
       *     such as `last_frame`, `first_clip`, `driving_audio` and `reference_video`.
       */
      type: string;
      /** @description A web address, or for images a `data:` URL. */
      url: string;
    } & {
      [key: string]: unknown;
    };
    /**
     * input (family B)
     * @description Family B, HappyHorse (and Wan): an `input` and its `parameters`. The model decides what the input holds.
     *
     *     | Model | `input.prompt` | `input.media` | Takes `ratio` | Takes `duration` |
     *     |---|---|---|---|---|
     *     | text to video (`…-t2v`) | required | none | yes | yes |
     *     | image to video (`…-i2v`) | optional | exactly 1 `first_frame` | no, follows the image | yes |
     *     | reference to video (`…-r2v`) | required | 1 to 9 `reference_image` | yes | yes |
     *     | video editing (`…-video-edit`) | required | exactly 1 `video` and up to 5 `reference_image` | no, follows the video | no |
     *
     *     In reference prompts the pictures are called `character1`, `character2` and so on, in their order.
     */
    VideoInputBody: {
      /** @description The model code. */
      model: string;
      /** @description What the video is made from. */
      input: {
        /** @description What should be seen, or for editing the instruction. About 5,000 characters, 2,500 in Chinese; the vendor cuts what is over. */
        prompt?: string;
        /** @description What should not be seen, on models that take it. */
        negative_prompt?: string;
        /** @description The media, in order. */
        media?: components['schemas']['VideoInputMedia'][];
      } & {
        [key: string]: unknown;
      };
      /** @description How the video is made. */
      parameters?: {
        /** @description `720P` or `1080P`; without it `1080P`. */
        resolution?: string;
        /** @description `16:9`, `9:16`, `1:1`, `4:3` or `3:4`; without it `16:9`. */
        ratio?: string;
        /** @description Seconds, 3 to 15; without it 5. */
        duration?: number;
        /** @description True for a visible mark. Without it the vendor adds one; say false to have none. */
        watermark?: boolean;
        /** @description 0 to 2147483647, for repeatable results. */
        seed?: number;
        /** @description Editing only: `auto` (without it) or `origin` to keep the sound of the source. */
        audio_setting?: string;
        /** @description True to let the vendor enrich the prompt, on models that offer it. */
        prompt_extend?: boolean;
      } & {
        [key: string]: unknown;
      };
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /**
     * image-urls (family C)
     * @description Family C, Veo: a prompt and, for image to video, the addresses of images. The result always has a sound track. One image is the first frame, two are the first and
     *     the last, three are references.
     */
    VideoImageUrlsBody: {
      /** @description The model code. */
      model: string;
      /** @description What should be seen and heard. */
      prompt: string;
      /** @description Images to start from, as web addresses or `data:` URLs; png, jpeg or webp up to 20 MB each. Absent for text to video. */
      imageUrls?: string[];
      /** @description `16:9` or `9:16`; without it `16:9`. */
      aspect_ratio?: string;
      /** @description `720p`, `1080p` or `4k`; the last two always take 8 seconds. Without it `720p`. */
      resolution?: string;
      /** @description What should not be seen. */
      negative_prompt?: string;
      /** @description For repeatable results, where the vendor's wire takes it. */
      seed?: number;
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /** @description A frame or a reference medium, in the vendor's own capital letters; snake_case is taken too. */
    VideoOmniFile: {
      /** @description `Url`, `Base64` or `File`. */
      Type?: string;
      /** @description `Image`, `Video` or `Audio`. */
      Category?: string;
      /** @description The address, for `Url`. */
      Url?: string;
      /** @description The content without a `data:` prefix, for `Base64`; all files together at most 7 MB. */
      Base64?: string;
      /** @description `FirstFrame` (also when absent), `LastFrame` or `Reference`. */
      Usage?: string;
      /** @description For a video: `feature` to borrow from it, `base` to edit it. */
      ReferenceType?: string;
      /** @description For a video: `Enabled` or `Disabled`. */
      KeepOriginalSound?: string;
    } & {
      [key: string]: unknown;
    };
    /**
     * omni (family D)
     * @description Family D, Kling omni: a prompt with native sound, first and last frames, reference media and reusable subjects. In the prompt they are written as
     *     `<<<image_1>>>`, `<<<video_1>>>` and `<<<element_1>>>`. The sibling models without omni take the same parameters, but neither references nor subjects.
     */
    VideoOmniBody: {
      /** @description The model code. */
      model: string;
      /** @description The text that drives the video. */
      prompt: string;
      /** @description What should not be seen. */
      negative_prompt?: string;
      /** @description `Enabled` lets the vendor enrich the prompt, `Disabled` does not. */
      enhance_prompt?: string;
      /** @description Seconds, 3 to 15; without it 5. */
      duration?: number;
      /** @description `720P`, `1080P`, or `4K` where the vendor has it; without it `720P`. */
      size?: string;
      /** @description `16:9`, `9:16` or `1:1`; without it `16:9`. With a first frame the picture decides. */
      aspect_ratio?: string;
      /** @description True for native sound, recommended for this model. Not together with a reference video. */
      audio_generation?: boolean;
      /** @description Frames and reference media, in order. */
      file_infos?: components['schemas']['VideoOmniFile'][];
      /** @description The last frame, a web address. Needs a first frame in `file_infos`. */
      last_frame_url?: string;
      /** @description Subjects to show, made by `POST /v1/general/advanced-custom-elements`. */
      subject_infos?: ({
        /** @description The `ElementId` of the subject. Text, because it has more digits than a number can hold. */
        Id?: string;
      } & {
        [key: string]: unknown;
      })[];
      /** @description Extra settings of the model, as JSON text. */
      ext_info?: string;
      /** @description A text of the caller's own, up to 1,000 characters, that the vendor repeats. */
      session_context?: string;
      /** @description `Mainland`, or `Oversea` when the input addresses lie outside mainland China. */
      input_region?: string;
      /** @description `Enabled` or `Disabled`. */
      input_compliance_check?: string;
      /** @description `Enabled` or `Disabled`. */
      output_compliance_check?: string;
      /** @description `Enabled` or `Disabled`, on models that can add a logo. */
      logo_add?: string;
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /**
     * prompt (family E)
     * @description Family E, Hailuo. A prompt, and optionally frames. Camera moves are written into the prompt, such as `[Push in]`.
     */
    VideoPromptBody: {
      /** @description The model code. */
      model: string;
      /** @description What should be seen; up to 2,000 characters. */
      prompt: string;
      /** @description The first frame, a web address or a `data:` URL; jpeg, png or webp under 20 MB, short side over 300 px. */
      first_frame_image?: string;
      /** @description The last frame; only Hailuo-02. */
      last_frame_image?: string;
      /** @description A person to show, only S2V-01: `[{type: character, image: [address]}]`. */
      subject_reference?: {
        [key: string]: unknown;
      }[];
      /** @description Seconds, 6 or 10; without it 6. */
      duration?: number;
      /** @description `512P`, `720P`, `768P` or `1080P`, as the model has it; 1080P takes 6 seconds. */
      resolution?: string;
      /** @description True to let the vendor enrich the prompt; without it true. */
      prompt_optimizer?: boolean;
      /** @description True for a quicker enrichment; without it false. */
      fast_pretreatment?: boolean;
      /** @description True for a visible mark; without it false. */
      aigc_watermark?: boolean;
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /**
     * seconds (family F)
     * @description Family F, OpenAI's video shape. Through `POST /v1/videos` every video model can be asked in this shape; what the model cannot take is named in
     *     `x-gateway-dropped`.
     */
    VideoSecondsBody: {
      /** @description The model code. */
      model: string;
      /** @description What should be seen; up to 32,000 characters. */
      prompt: string;
      /** @description Duration in seconds, given as text, such as `"4"`, `"8"` or `"12"`. A number is taken as its text. Without it `"4"`. */
      seconds?: string | number;
      /** @description `720x1280` (without it), `1280x720`, `1024x1792` or `1792x1024`. */
      size?: string;
      /** @description The first frame. */
      input_reference?:
        | ({
            /** @description A web address or a `data:` URL. */
            image_url?: string;
            /** @description The vendor's id of an uploaded file. */
            file_id?: string;
          } & {
            [key: string]: unknown;
          })
        | string;
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /**
     * @description One of six shapes; which one belongs to a model is its `formats` in `GET /v1/models`. A body in another model's shape is refused with 400 and the name of
     *     the field that is missing. A field that is not listed passes through to the vendor.
     */
    VideoTaskCreate:
      | components['schemas']['VideoContentBody']
      | components['schemas']['VideoInputBody']
      | components['schemas']['VideoImageUrlsBody']
      | components['schemas']['VideoOmniBody']
      | components['schemas']['VideoPromptBody']
      | components['schemas']['VideoSecondsBody'];
    /**
     * @description The receipt of a new task. Once you hold it, the task is stored and cannot be lost; read its progress with
     *     `GET /v1/video/generations/{task_id}` or `GET /v1/videos/{video_id}`.
     */
    VideoAcknowledgement: {
      /** @description The task identifier. It starts with `task_` for all families except F (body shape `seconds`), whose identifiers start with `video_`. */
      id: string;
      /** @description The same as `id`. Absent for family F. */
      task_id?: string;
      /** @constant */
      object: 'video';
      /** @description The model code of the request. */
      model: string;
      /** @constant */
      status: 'queued';
      /** @constant */
      progress: 0;
      /** @description Unix time. Seconds, but milliseconds (13 digits) for family F. */
      created_at: number;
      /** @description Family F only. The requested duration, as text. */
      seconds?: string;
    };
    /** @description The envelope of a task record. */
    VideoTaskReply: {
      /**
       * @description `success` when the lookup succeeded, also when the task itself failed.
       * @constant
       */
      code: 'success';
      /** @description Empty on success. */
      message: string;
      data: components['schemas']['VideoTask'];
    };
    /**
     * @description One event of a followed task: the record as it is at that moment, in the envelope of the JSON answer. The SSE event name is `task`, its `id` a rising
     *     number that a client gives back as `Last-Event-ID` to miss nothing. The first event is the present state; the stream ends after `SUCCESS` or `FAILURE`.
     */
    VideoTaskEvent: {
      /** @constant */
      code: 'success';
      message: string;
      data: components['schemas']['VideoTask'];
    };
    /**
     * @description What the model makes.
     * @enum {string}
     */
    ModelKind: 'chat' | 'image' | 'image-edit' | 'video' | 'speech';
    /**
     * @description A request shape.
     * @enum {string}
     */
    ModelFormat:
      | 'openai-chat'
      | 'openai-responses'
      | 'anthropic-messages'
      | 'gemini-generate'
      | 'prompt'
      | 'messages'
      | 'multipart'
      | 'speech'
      | 'content'
      | 'input'
      | 'image-urls'
      | 'omni'
      | 'seconds';
    /** @description A model code of the catalogue, in OpenAI's form with the gateway's own fields beside it. */
    Model: {
      /** @description The model code, to be written into `model`. */
      id: string;
      /** @constant */
      object: 'model';
      /** @description Unix seconds at which the code entered the catalogue. */
      created: number;
      /** @description The vendor, such as `openai` or `ark`. */
      owned_by: string;
      kind: components['schemas']['ModelKind'];
      /**
       * @description The request shapes it takes. Chat: the dialects. Video: one of `content`, `input`, `image-urls`, `omni`, `prompt`, `seconds`. Images: `prompt` or
       *     `messages`. Image editing: `multipart`. Speech: `openai-chat` and `speech`.
       */
      formats: components['schemas']['ModelFormat'][];
      /** @description The paths through which it can be reached. */
      endpoints: string[];
      /** @description Preset voices, of speech models. */
      voices?: string[];
      /** @description What is known of its limits, such as `context_tokens`, `output_tokens`, `seconds_max` or `images_max`. */
      limits?: {
        [key: string]: number;
      };
      /**
       * @description US dollars, for callers in the key's group. Tokens are priced per million: `input`, `cached_input`, `cache_write`, `output`, `reasoning`, `output_tokens`;
       *     the others per piece: `image`, `second`, `video`, `character`. `POST /v1/estimate` applies what depends on resolution or sound.
       */
      price?: {
        [key: string]: unknown;
      };
      /** @description True when requests of this key for this model are answered by the built-in vendor twin and not by the vendor. */
      simulated: boolean;
    };
    /** @description OpenAI's list form. */
    ModelList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Model'][];
      /** @description Present when this deployment has no vendor credentials at all and answers everything from the built-in vendor twin. */
      notice?: string;
    };
    /** @description A model code in Anthropic's form. */
    AnthropicModel: {
      /** @constant */
      type: 'model';
      /** @description The model code. */
      id: string;
      display_name: string;
      /** @description RFC 3339 time. */
      created_at: string;
      max_input_tokens?: number | null;
      max_tokens?: number | null;
      kind?: components['schemas']['ModelKind'];
    } & {
      [key: string]: unknown;
    };
    /** @description Anthropic's list form, given to requests with an `anthropic-version` header. */
    AnthropicModelList: {
      data: components['schemas']['AnthropicModel'][];
      has_more: boolean;
      first_id: string | null;
      last_id: string | null;
    };
    /** @description A model code in Google's form. */
    GeminiModel: {
      /** @description `models/` and the model code. */
      name: string;
      baseModelId?: string;
      version?: string;
      displayName: string;
      description?: string;
      inputTokenLimit?: number;
      outputTokenLimit?: number;
      /** @description `generateContent`, `streamGenerateContent` and `countTokens`. */
      supportedGenerationMethods: string[];
      kind?: components['schemas']['ModelKind'];
    } & {
      [key: string]: unknown;
    };
    /** @description Google's list form. */
    GeminiModelList: {
      models: components['schemas']['GeminiModel'][];
      /** @description Give this as `pageToken` to read the next page. Absent at the end. */
      nextPageToken?: string;
    };
    /** @description The process answers. */
    Health: {
      /** @constant */
      status: 'ok';
    };
    /** @description Whether new requests should be sent here. */
    Readiness: {
      /**
       * @description `draining` while the process finishes its last requests before it ends.
       * @enum {string}
       */
      status: 'ready' | 'not_ready' | 'draining';
      /** @description Each part that must work, and whether it does. */
      checks: {
        [key: string]: 'ok' | 'failed';
      };
    };
  };
  responses: {
    /** @description The body, a parameter or a medium is wrong, the model code is unknown, or a content filter refused the input. The message names the place and what would be right. */
    OpenAiInvalidRequest: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "messages[0].role is \"robot\"; it must be one of system, developer, user, assistant, tool.",
         *         "type": "invalid_request_error",
         *         "param": "messages[0].role",
         *         "code": "invalid_request"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The key is missing, unknown, expired or revoked. */
    OpenAiUnauthenticated: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *         "type": "authentication_error",
         *         "param": null,
         *         "code": "unauthenticated"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The key may not use this model or this address, or its balance or spend cap is used up (`insufficient_quota`). */
    OpenAiForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it.",
         *         "type": "permission_error",
         *         "param": null,
         *         "code": "forbidden"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The `Idempotency-Key` was already used with another body. */
    OpenAiConflict: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request.",
         *         "type": "conflict_error",
         *         "param": null,
         *         "code": "conflict"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The body is over 64 MB. */
    OpenAiBodyTooLarge: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "The body is larger than 64 MB. Send large media by URL.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "body_too_large"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The `Content-Type` is not one this endpoint reads. */
    OpenAiUnsupportedMediaType: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "Content-Type is text/plain; this endpoint reads application/json.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "unsupported_media_type"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /**
     * @description A limit of this key was reached (`rate_limited`), its balance or a spend cap is used up (`insufficient_quota`), or every vendor account for
     *     the model is at its own limit (`upstream_rate_limited`). `retry-after` is present when waiting helps.
     */
    OpenAiTooMany: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
        'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
        'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
        'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
        'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
        'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /**
     * @description Every vendor for the model failed, was unreachable or did not answer in time (an `upstream_…` code, `submission_unknown` or `unavailable`), or the gateway
     *     itself is at fault (`internal`).
     */
    OpenAiFailed: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "No vendor could serve gpt-5.2 just now. Try again in 7 seconds.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "upstream_unavailable"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description Described here, but not served by this deployment. */
    OpenAiNotImplemented: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This deployment does not serve this operation yet.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "not_implemented"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description Every vendor for this model failed, was saturated or did not answer in time, or the gateway is shutting down. `retry-after` says when another try makes sense. */
    OpenAiUnavailable: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "No vendor could serve doubao-seedance-2-0-fast just now. Try again in 7 seconds.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "upstream_unavailable"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The body, a parameter or a medium is wrong, the model code is unknown, or a content filter refused the input. The message names the place and what would be right. */
    TaskInvalidRequest: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "content[1].image_url.url is 200 x 200 pixels; each side must be 300 to 6000 pixels.",
         *         "type": "invalid_request_error",
         *         "param": "content[1].image_url.url",
         *         "code": "invalid_request"
         *       },
         *       "code": "invalid_request",
         *       "message": "content[1].image_url.url is 200 x 200 pixels; each side must be 300 to 6000 pixels.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The key is missing, unknown, expired or revoked. */
    TaskUnauthenticated: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *         "type": "authentication_error",
         *         "param": null,
         *         "code": "unauthenticated"
         *       },
         *       "code": "unauthenticated",
         *       "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The key may not use this model or this address, or its balance or spend cap is used up (`insufficient_quota`). */
    TaskForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it.",
         *         "type": "permission_error",
         *         "param": null,
         *         "code": "forbidden"
         *       },
         *       "code": "forbidden",
         *       "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description A limit of this key was reached: requests or tokens per minute, or concurrent requests. `retry-after` says when to come back. */
    TaskRateLimited: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
        'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
        'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
        'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
        'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
        'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may make 600 requests per minute and has made them. Try again in 7 seconds.",
         *         "type": "rate_limit_error",
         *         "param": null,
         *         "code": "rate_limited"
         *       },
         *       "code": "rate_limited",
         *       "message": "This key may make 600 requests per minute and has made them. Try again in 7 seconds.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The gateway's own fault. Report the `x-request-id`. */
    TaskInternal: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "Something went wrong in the gateway. Report the x-request-id of this reply.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "internal"
         *       },
         *       "code": "internal",
         *       "message": "Something went wrong in the gateway. Report the x-request-id of this reply.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description Described here, but not served by this deployment. */
    TaskNotImplemented: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This deployment does not serve this operation yet.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "not_implemented"
         *       },
         *       "code": "not_implemented",
         *       "message": "This deployment does not serve this operation yet.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description Every vendor for this model failed, was saturated or did not answer in time, or the gateway is shutting down. `retry-after` says when another try makes sense. */
    TaskUnavailable: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "No vendor could serve doubao-seedance-2-0-fast just now. Try again in 7 seconds.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "upstream_unavailable"
         *       },
         *       "code": "upstream_unavailable",
         *       "message": "No vendor could serve doubao-seedance-2-0-fast just now. Try again in 7 seconds.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The `Idempotency-Key` was already used with another body. */
    TaskConflict: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request.",
         *         "type": "conflict_error",
         *         "param": null,
         *         "code": "conflict"
         *       },
         *       "code": "conflict",
         *       "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The body is over 64 MB. */
    TaskBodyTooLarge: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "The body is larger than 64 MB. Send large media by URL.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "body_too_large"
         *       },
         *       "code": "body_too_large",
         *       "message": "The body is larger than 64 MB. Send large media by URL.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The `Content-Type` is not one this endpoint reads. */
    TaskUnsupportedMediaType: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "Content-Type is text/plain; this endpoint reads application/json.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "unsupported_media_type"
         *       },
         *       "code": "unsupported_media_type",
         *       "message": "Content-Type is text/plain; this endpoint reads application/json.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description A limit of this key was reached: requests or tokens per minute, or concurrent requests. `retry-after` says when to come back. */
    OpenAiRateLimited: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
        'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
        'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
        'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
        'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
        'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may make 600 requests per minute and has made them. Try again in 7 seconds.",
         *         "type": "rate_limit_error",
         *         "param": null,
         *         "code": "rate_limited"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The gateway's own fault. Report the `x-request-id`. */
    OpenAiInternal: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "Something went wrong in the gateway. Report the x-request-id of this reply.",
         *         "type": "server_error",
         *         "param": null,
         *         "code": "internal"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
  };
  parameters: {
    /**
     * @description Makes a paid request safe to repeat. The first answer under this key is stored for 24 hours and replayed byte for byte, streams included; a second
     *     request that arrives while the first is running waits for it; another body under the same key is refused with 409. Any text up to 255 characters,
     *     a UUID for example. Keys of different owners do not meet.
     * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
     */
    IdempotencyKey: string;
    /**
     * @description The `task_id` (or `id`) of an acknowledgement. Ids of every video family are accepted.
     * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
     */
    TaskId: string;
    /**
     * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
     * @example 2023-06-01
     */
    AnthropicVersion: string;
    /**
     * @description Beta features the caller asks for, separated by commas. Passed on to Anthropic, and only there.
     * @example context-1m-2025-08-07
     */
    AnthropicBeta: string;
    /**
     * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
     * @example true
     */
    Beta: string;
    /**
     * @description Google's form: how many per page, 1 to 1000; without it all.
     * @example 50
     */
    PageSize: number;
    /**
     * @description Google's form: the `nextPageToken` of the page before.
     * @example gemini-3.1-pro
     */
    PageToken: string;
  };
  requestBodies: never;
  headers: {
    /**
     * @description The id of this request. It is in the logs and in the ledger; name it when something went wrong.
     * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
     */
    XRequestId: string;
    /**
     * @description The number of the vendor account that answered. It is the `channel_id` of a task record and names no secret.
     * @example 1
     */
    GatewayAccount: number;
    /**
     * @description How many offers were tried, the successful one included.
     * @example 1
     */
    GatewayAttempts: number;
    /**
     * @description What the request asked for and the answering vendor could not take, as a comma-separated list of paths such as
     *     `seed, messages[0].name`. Absent when everything was carried.
     * @example seed
     */
    GatewayDropped: string;
    /** @description `true` when this is a stored answer, replayed for an `Idempotency-Key` that was used before. Absent otherwise. */
    IdempotentReplayed: 'true';
    /**
     * @description Requests per minute this key may make. Absent when the key has no such limit.
     * @example 600
     */
    RateLimitLimitRequests: number;
    /**
     * @description Tokens per minute this key may use. Absent when the key has no such limit.
     * @example 200000
     */
    RateLimitLimitTokens: number;
    /**
     * @description Requests left in the current minute.
     * @example 598
     */
    RateLimitRemainingRequests: number;
    /**
     * @description Tokens left in the current minute.
     * @example 199310
     */
    RateLimitRemainingTokens: number;
    /**
     * @description When the request window is full again, as a duration such as `1s` or `6m0s`.
     * @example 1s
     */
    RateLimitResetRequests: string;
    /**
     * @description When the token window is full again, as a duration such as `1s` or `6m0s`.
     * @example 1s
     */
    RateLimitResetTokens: string;
    /**
     * @description Seconds to wait before the same request can succeed.
     * @example 7
     */
    RetryAfter: number;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  createChatCompletion: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The first answer under this key is stored for 24 hours and replayed byte for byte, streams included; a second
         *     request that arrives while the first is running waits for it; another body under the same key is refused with 409. Any text up to 255 characters,
         *     a UUID for example. Keys of different owners do not meet.
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChatCompletionRequest'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletion'];
          'text/event-stream': components['schemas']['ChatCompletionChunk'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiTooMany'];
      500: components['responses']['OpenAiFailed'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  listVideoTasks: {
    parameters: {
      query?: {
        /**
         * @description How many tasks per page, 1 to 100; without it 20.
         * @example 20
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example task_0a1b2c3d4e5f60718293a4b5c6d7e8f9
         */
        after?: string;
        /**
         * @description Only tasks in this state.
         * @example SUCCESS
         */
        status?: components['schemas']['VideoTaskStatus'];
        /**
         * @description Only tasks of this model code.
         * @example doubao-seedance-2-0-fast
         */
        model?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of tasks. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "code": "success",
           *       "message": "",
           *       "data": {
           *         "items": [
           *           {
           *             "id": 42,
           *             "created_at": 1790000000,
           *             "updated_at": 1790000140,
           *             "task_id": "task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f",
           *             "platform": "54",
           *             "user_id": 1,
           *             "group": "default",
           *             "channel_id": 4,
           *             "quota": 258188,
           *             "action": "generate",
           *             "status": "SUCCESS",
           *             "fail_reason": "",
           *             "result_url": "https://media.example.com/out.mp4",
           *             "submit_time": 1790000000,
           *             "start_time": 1790000004,
           *             "finish_time": 1790000140,
           *             "progress": "100%",
           *             "properties": {
           *               "input": "",
           *               "upstream_model_name": "doubao-seedance-2-0-fast-260128",
           *               "origin_model_name": "doubao-seedance-2-0-fast"
           *             },
           *             "data": {
           *               "id": "cgt-20261121090000-abcde",
           *               "model": "doubao-seedance-2-0-fast-260128",
           *               "status": "succeeded",
           *               "content": {
           *                 "video_url": "https://media.example.com/out.mp4"
           *               },
           *               "created_at": 1790000000,
           *               "updated_at": 1790000140,
           *               "draft": false,
           *               "duration": 5,
           *               "execution_expires_after": 172800,
           *               "framespersecond": 24,
           *               "generate_audio": true,
           *               "ratio": "16:9",
           *               "resolution": "720p",
           *               "seed": 10,
           *               "service_tier": "default",
           *               "usage": {
           *                 "completion_tokens": 101250,
           *                 "total_tokens": 101250
           *               }
           *             }
           *           }
           *         ],
           *         "has_more": false,
           *         "next_after": null
           *       }
           *     }
           */
          'application/json': components['schemas']['VideoTaskList'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskForbidden'];
      429: components['responses']['TaskRateLimited'];
      500: components['responses']['TaskInternal'];
      501: components['responses']['TaskNotImplemented'];
      503: components['responses']['TaskUnavailable'];
    };
  };
  createVideoTask: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The first answer under this key is stored for 24 hours and replayed byte for byte, streams included; a second
         *     request that arrives while the first is running waits for it; another body under the same key is refused with 409. Any text up to 255 characters,
         *     a UUID for example. Keys of different owners do not meet.
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VideoTaskCreate'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoAcknowledgement'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskForbidden'];
      409: components['responses']['TaskConflict'];
      413: components['responses']['TaskBodyTooLarge'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskRateLimited'];
      500: components['responses']['TaskInternal'];
      501: components['responses']['TaskNotImplemented'];
      503: components['responses']['TaskUnavailable'];
    };
  };
  getVideoTask: {
    parameters: {
      query?: {
        /**
         * @description Seconds to wait for a change, 0 to 60; without it the answer comes at once.
         * @example 30
         */
        wait?: number;
      };
      header?: {
        /**
         * @description The `id` of the last event received, to resume a stream.
         * @example 17
         */
        'Last-Event-ID'?: string;
      };
      path: {
        /**
         * @description The `task_id` (or `id`) of an acknowledgement. Ids of every video family are accepted.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        task_id: components['parameters']['TaskId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoTaskReply'];
          'text/event-stream': components['schemas']['VideoTaskEvent'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskForbidden'];
      429: components['responses']['TaskRateLimited'];
      500: components['responses']['TaskInternal'];
      501: components['responses']['TaskNotImplemented'];
      503: components['responses']['TaskUnavailable'];
    };
  };
  cancelVideoTask: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `task_id` (or `id`) of an acknowledgement. Ids of every video family are accepted.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        task_id: components['parameters']['TaskId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The task is cancelled. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "code": "success",
           *       "message": "",
           *       "data": {
           *         "id": 44,
           *         "created_at": 1790000300,
           *         "updated_at": 1790000390,
           *         "task_id": "task_9f8e7d6c5b4a39281706f5e4d3c2b1a0",
           *         "platform": "54",
           *         "user_id": 1,
           *         "group": "default",
           *         "channel_id": 4,
           *         "quota": 0,
           *         "action": "generate",
           *         "status": "FAILURE",
           *         "fail_reason": "task cancelled",
           *         "result_url": "",
           *         "submit_time": 1790000300,
           *         "start_time": 1790000304,
           *         "finish_time": 1790000390,
           *         "progress": "100%",
           *         "properties": {
           *           "input": "",
           *           "upstream_model_name": "doubao-seedance-2-0-fast-260128",
           *           "origin_model_name": "doubao-seedance-2-0-fast"
           *         },
           *         "data": {
           *           "id": "cgt-20261121090500-klmno",
           *           "model": "doubao-seedance-2-0-fast-260128",
           *           "status": "cancelled",
           *           "created_at": 1790000300,
           *           "updated_at": 1790000390,
           *           "service_tier": "default",
           *           "execution_expires_after": 172800
           *         }
           *       }
           *     }
           */
          'application/json': components['schemas']['VideoTaskReply'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskForbidden'];
      409: components['responses']['TaskConflict'];
      429: components['responses']['TaskRateLimited'];
      500: components['responses']['TaskInternal'];
      501: components['responses']['TaskNotImplemented'];
      503: components['responses']['TaskUnavailable'];
    };
  };
  listModels: {
    parameters: {
      query?: {
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
        /**
         * @description Anthropic's form: how many per page, 1 to 1000; without it all.
         * @example 100
         */
        limit?: number;
        /**
         * @description Anthropic's form: the `last_id` of the page before.
         * @example claude-sonnet-4-5
         */
        after_id?: string;
        /**
         * @description Anthropic's form: the `first_id` of the page after.
         * @example claude-sonnet-4-5
         */
        before_id?: string;
        /**
         * @description Google's form: how many per page, 1 to 1000; without it all.
         * @example 50
         */
        pageSize?: components['parameters']['PageSize'];
        /**
         * @description Google's form: the `nextPageToken` of the page before.
         * @example gemini-3.1-pro
         */
        pageToken?: components['parameters']['PageToken'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features the caller asks for, separated by commas. Passed on to Anthropic, and only there.
         * @example context-1m-2025-08-07
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The catalogue. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['ModelList']
            | components['schemas']['AnthropicModelList']
            | components['schemas']['GeminiModelList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ok"
           *     }
           */
          'application/json': components['schemas']['Health'];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It can. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ready",
           *       "checks": {
           *         "database": "ok",
           *         "catalogue": "ok"
           *       }
           *     }
           */
          'application/json': components['schemas']['Readiness'];
        };
      };
      /** @description It cannot, or is finishing its last requests. */
      503: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "draining",
           *       "checks": {
           *         "database": "ok",
           *         "catalogue": "ok"
           *       }
           *     }
           */
          'application/json': components['schemas']['Readiness'];
        };
      };
    };
  };
  getOpenapi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "openapi": "3.1.1",
           *       "info": {
           *         "title": "Unified Model Gateway",
           *         "version": "0.1.0"
           *       },
           *       "paths": {}
           *     }
           */
          'application/json': {
            openapi: string;
            info: {
              [key: string]: unknown;
            };
            paths: {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          };
        };
      };
    };
  };
}
