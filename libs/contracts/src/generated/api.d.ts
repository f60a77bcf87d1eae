// Written by tools/contracts.mjs from the document in spec/. Change it there, then run: node tools/contracts.mjs
export interface paths {
  '/v1/chat/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List kept chat completions
     * @description The answers of this key's owner that were asked for with `store: true`, oldest first. `metadata[topic]=tides` lists those alone whose metadata have this pair; several such pairs must all be there.
     */
    get: operations['listChatCompletions'];
    put?: never;
    /**
     * Chat, in the chat-completions format
     * @description Answers a conversation. You can name every chat model. For a model of another dialect, the gateway translates the request and the reply, with tools, images, reasoning and structured output.
     *
     *     **Streaming.** `stream: true` answers with server-sent events (`ChatCompletionChunk`) and ends with `data: [DONE]`. An error before the first event is an ordinary error status.
     *
     *     **Speech.** With a speech model, the text to speak is the `assistant` message. The optional `user` message before it describes in natural language how to speak. Style tags can be inside the text. To make it sing, start with `(唱歌)`. `audio.voice` is one of the model's `voices`, or its default selector. Without `stream` the
     *     answer is a WAV in `choices[0].message.audio.data`; with `stream: true` and `audio.format: pcm16` the pieces of raw PCM16 (24 kHz, little-endian, mono) come in
     *     `choices[0].delta.audio.data`. Designing and cloning voices need models of their own.
     *
     *     **Statuses.** Chat models answer 429 for an empty balance and 500 for failing vendors, as OpenAI's SDK expects. Speech models answer 403 and 503, like other endpoints.
     */
    post: operations['createChatCompletion'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/chat/completions/{completion_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a chat completion that the gateway keeps.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        completion_id: components['parameters']['CompletionId'];
      };
      cookie?: never;
    };
    /**
     * Read a kept chat completion
     * @description The answer as it was given, with its metadata. Only answers that were asked for with `store: true` are kept.
     */
    get: operations['getChatCompletion'];
    put?: never;
    /**
     * Change the metadata of a kept chat completion
     * @description Replaces the metadata; nothing else of an answer can be changed.
     */
    post: operations['updateChatCompletion'];
    /**
     * Delete a kept chat completion
     * @description Removes it with the messages that it was asked with.
     */
    delete: operations['deleteChatCompletion'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/chat/completions/{completion_id}/messages': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a chat completion that the gateway keeps.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        completion_id: components['parameters']['CompletionId'];
      };
      cookie?: never;
    };
    /**
     * List the messages of a kept chat completion
     * @description The messages of its request, oldest first, each with an id. `content` has the text. For a list of parts, `content_parts` has texts and pictures.
     */
    get: operations['listChatCompletionMessages'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Text completions
     * @description Goes on with a text, or fills the gap before `suffix`, in OpenAI's legacy form. A model whose vendor has this form is asked in it, with everything that was
     *     sent. Every other chat model can be named, too: the prompt is the message of a user, and the words of the answer are the text. Such a model answers
     *     rather than goes on, one text at a time; `suffix`, several prompts, prompts in tokens and a `best_of` above `n` are refused with 400.
     *
     *     **Streaming.** `stream: true` answers with server-sent events (`Completion`) and ends with `data: [DONE]`.
     */
    post: operations['createCompletion'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Open a WebSocket for responses
     * @description A WebSocket for one response after another, like OpenAI's `wss://…/v1/responses`. You can name every chat model. Send the key with the request that opens it. OpenAPI cannot describe the messages, so this text does.
     *
     *     The client sends one JSON object in each text frame: `{"type": "response.create", …}` with the members of `createResponse`. `stream` is implied, and `background` is an error. You get the events of `stream: true` as JSON, one in each text frame. Every `response.create` is a request with its own id, limits, price, guardrails and line of the log. Headers of the opening request, such as `x-gateway-tags`, apply to each. Responses come one after another, except on lanes. Responses with different `stream_id` values (letters, digits and `_.-`, at most 256) run at the same time, and each event names its lane.
     *
     *     `previous_response_id` continues from a response of this connection, also with `store: false`. The gateway keeps it in memory while the connection is open. `generate: false` calls no model and only returns an id to continue from. `{"type": "response.cancel"}`, with the `stream_id` if there is one, ends the running answer.
     *
     *     A refusal is an event, and the connection stays open: `{"type": "error", "status": 400, "error": {"type", "code", "message", "param"}}`. Beside the codes of `createResponse` there are `previous_response_not_found` (send the whole conversation), `websocket_stream_limit_reached` (more than 8 lanes) and `websocket_connection_limit_reached` (after 60 minutes; connect again). The connection closes with 1000 after its time, or after 30 minutes without a request. It closes with 1001 when the gateway shuts down, after the running answer, and with 1009 after a frame above the limit of bodies.
     */
    get: operations['connectResponses'];
    put?: never;
    /**
     * Chat, in the responses format
     * @description Answers an input in OpenAI's responses form. You can name every chat model. A gateway with an encryption key keeps responses (always with SQLite, otherwise with `security.encryption_key`). It keeps this one, encrypted, for the owner and the mode of its key, unless `store` is false. `previous_response_id` continues from it with any model, `conversation` collects the turns, and `background: true` answers in the background. Ids begin with `resp_gw_` and `conv_gw_`, and vendors keep nothing. Without an encryption key, send the whole conversation each time, or use the memory of a vendor that has one. Objects at a vendor belong to the owner and the mode of the key that made them. The gateway does not find responses, conversations, files and containers of others. With several owners, it also does not find objects that no answer contained and that the operator gave to no owner.
     *
     *     `stream: true` answers with named server-sent events (`ResponseStreamEvent`).
     */
    post: operations['createResponse'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses/compact': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Compact a conversation
     * @description Makes a long conversation short. `output` has the user's latest messages unchanged, and one item of `type: compaction` for everything else. Send `output` as the `input` of the next request, followed by your new message.
     *
     *     A model that only OpenAI serves is compacted by OpenAI, and OpenAI alone can read the item. For any other model, the gateway asks the model that you name, or the one that the operator has set, for a summary. It encrypts the summary. The gateway can read the item for keys of the same owner and mode, and then sends it to any model, in any format. It needs an encryption key for this. An item that it did not make, or that was changed, is refused with 400.
     */
    post: operations['compactResponse'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses/input_tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Count tokens, in the responses format
     * @description Says how many input tokens a request would take, with what it goes on from (`previous_response_id`, `conversation`), without asking the model to answer. Free of charge. For a model whose vendor
     *     cannot count, the number is an estimate and the reply carries `x-gateway-estimated`.
     */
    post: operations['countResponseTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses/{response_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    /**
     * Read a response that is kept
     * @description The current state of a response of any model. A background response goes from `queued` to `in_progress` and ends `completed`, `incomplete`, `failed` or
     *     `cancelled`.
     *
     *     With `stream=true` you get the past and future events of a background response. `starting_after` continues after an event that you received, for example after a lost connection, on any replica. The gateway does not call the model again.
     *
     *     You can read and follow a response that is streaming to its caller, in the process that answers it. It is `in_progress`, with its finished items. Other processes find it when it has ended. Its events are not kept.
     *
     *     The gateway finds only responses that it keeps (`security.encryption_key`), and only for keys of the same owner and mode.
     */
    get: operations['getResponse'];
    put?: never;
    post?: never;
    /**
     * Delete a response
     * @description Removes a response that is kept, and its events. Responses that go on from it can still be read, and not be gone on from any more. One that is still worked on is a 409: cancel it first.
     */
    delete: operations['deleteResponse'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses/{response_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a response in the background
     * @description Ends a response that was asked for with `background: true`. What waits costs nothing; what a model has said by then is charged. One that has ended is answered as it is.
     */
    post: operations['cancelResponse'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses/{response_id}/input_items': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    /**
     * List what a response was asked with
     * @description The items of its own request, each with an id, newest first; what came before is with the responses that it goes on from.
     */
    get: operations['listResponseInputItems'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/conversations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a conversation
     * @description A list of items under one id. `POST /v1/responses` with `conversation` puts it before its own input, whatever the model, and adds its input and output to it. It lives as long as it is used, and
     *     then as long as responses are kept.
     */
    post: operations['createConversation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/conversations/{conversation_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    /**
     * Read a conversation
     * @description Its id, its time and its metadata.
     */
    get: operations['getConversation'];
    put?: never;
    /**
     * Change the metadata of a conversation
     * @description Replaces the metadata.
     */
    post: operations['updateConversation'];
    /**
     * Delete a conversation
     * @description Removes it with its items; responses that were made in it stay.
     */
    delete: operations['deleteConversation'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/conversations/{conversation_id}/items': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    /**
     * List the items of a conversation
     * @description Newest first.
     */
    get: operations['listConversationItems'];
    put?: never;
    /**
     * Add items to a conversation
     * @description Adds up to 20 items at its end.
     */
    post: operations['createConversationItems'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/conversations/{conversation_id}/items/{item_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
        /**
         * @description The `id` of an item.
         * @example msg_4b2e7f1a9c3d5e8f0a6b
         */
        item_id: components['parameters']['ItemId'];
      };
      cookie?: never;
    };
    /**
     * Read an item of a conversation
     * @description One item.
     */
    get: operations['getConversationItem'];
    put?: never;
    post?: never;
    /**
     * Delete an item of a conversation
     * @description Takes one item out; the answer is the conversation.
     */
    delete: operations['deleteConversationItem'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Chat, in the messages format
     * @description Answers a conversation in Anthropic's messages form. Every chat model can be named, so that a coding agent built on Anthropic's SDK can work with any of them.
     *
     *     This format has no place for a picture that a model makes: the answer's text shows it by a Markdown link, `![image](…/files/…)`. The gateway keeps the picture behind it; the link is signed, works without a key and expires.
     *
     *     `stream: true` answers with named server-sent events (`MessageStreamEvent`). The `anthropic-version` and `anthropic-beta` headers are honoured with Anthropic's own models.
     */
    post: operations['createMessage'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/count_tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Count tokens, in the messages format
     * @description Says how many input tokens a conversation would take, without asking the model to answer. Free of charge. For a model whose vendor cannot count, the number is an estimate and the reply
     *     carries `x-gateway-estimated`.
     */
    post: operations['countMessageTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/batches': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List batches
     * @description Newest first. Google's SDK, which sends `x-goog-api-client`, lists batches of its own form here as at `/v1beta/batches`.
     */
    get: operations['listBatches'];
    put?: never;
    /**
     * Create a batch
     * @description Runs the requests of a file, one per line, within 24 hours, when interactive requests leave capacity. A line is `{"custom_id": …, "method": "POST", "url": …, "body": …}`;
     *     its `url` is the `endpoint` of the batch, and its `body` can name any model of the endpoint, of any vendor. You pay for a line when it runs, at the price of a single request.
     *
     *     The gateway checks the file first. If a line is not JSON, repeats a `custom_id`, has another `url`, or asks for `stream: true` or `background: true`, the batch is `failed`. `errors` names the lines, and you pay nothing. A file can have 100,000 lines of at most 16 MB each. `output_file_id` has the answers. `error_file_id` has the refused, cancelled and expired requests.
     *     If the model's vendor has its own batches at a lower price (`price.batch`), the gateway sends the requests there.
     */
    post: operations['createBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/batches/{batch_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    /**
     * Read a batch
     * @description How far it is. Google's SDK, which sends `x-goog-api-client`, reads a batch of its own form here as at `/v1beta/batches/{batch_id}`.
     */
    get: operations['getBatch'];
    put?: never;
    post?: never;
    /**
     * Delete a batch, in Google’s format (v1)
     * @description Removes a batch that has ended, and its results. One that has not is a 409: cancel it first.
     */
    delete: operations['deleteContentBatchV1'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/batches/{batch_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a batch
     * @description Lines that have not begun do not begin any more and cost nothing; those that run are answered and charged. What there is of results is in the files of the batch when it is `cancelled`. A batch that has ended is answered as it is.
     */
    post: operations['cancelBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/batches': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List batches of messages
     * @description Newest first.
     */
    get: operations['listMessageBatches'];
    put?: never;
    /**
     * Create a batch of messages
     * @description Takes many requests in the messages format at once and answers them within 24 hours, when interactive requests leave capacity. Each request can name any chat model of any vendor. You pay for a request when it runs, at the price of a single request. If the money does not cover a request, it is refused, and the others go on.
     *
     *     Up to 100,000 requests, in a body of at most 64 MB. A `custom_id` has 1 to 64 letters, digits, `-` and `_`, and is unique. There are no streams, so `stream` is refused.
     *     If the model's vendor has its own batches at a lower price (`price.batch`), the gateway sends the requests there.
     */
    post: operations['createMessageBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/batches/{batch_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    /**
     * Read a batch of messages
     * @description How far it is. `processing_status` goes from `in_progress`, by way of `canceling` where it was cancelled, to `ended`; then `results_url` is there.
     */
    get: operations['getMessageBatch'];
    put?: never;
    post?: never;
    /**
     * Delete a batch of messages
     * @description Removes a batch that has ended, and its results. One that has not is a 409: cancel it first.
     */
    delete: operations['deleteMessageBatch'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/batches/{batch_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a batch of messages
     * @description Requests that have not begun do not begin any more and cost nothing; those that run are answered and charged. A batch that has ended is answered as it is.
     */
    post: operations['cancelMessageBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/batches/{batch_id}/results': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    /**
     * Read the results of a batch of messages
     * @description One JSON object a line, in the order of the requests. Before the batch has ended it has the results that are there by then. Results are kept as long as `batches.keep_days` says.
     */
    get: operations['getMessageBatchResults'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:batchGenerateContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a batch, in Google’s format
     * @description Takes many requests in the generateContent format at once, for one chat model of any vendor. The gateway answers them within 24 hours, when interactive requests leave capacity. You pay for a request when it runs, at the price of a single request. Up to 100,000 requests, in a body of at most 64 MB.
     *     If the model's vendor has its own batches at a lower price (`price.batch`), the gateway sends the requests there.
     */
    post: operations['createContentBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:asyncBatchEmbedContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Batch embeddings, in Google’s format
     * @description Takes many requests in the embedContent format at once, for one embedding model of any vendor. The gateway answers them within 24 hours, when interactive requests leave capacity. You pay for a request when it runs, at the price of a single request. Up to 100,000 requests, in a body of at most 64 MB.
     */
    post: operations['createEmbeddingBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:asyncBatchEmbedContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Batch embeddings, in Google’s format (v1)
     * @description Takes many requests in the embedContent format at once, for one embedding model of any vendor. The gateway answers them within 24 hours, when interactive requests leave capacity. You pay for a request when it runs, at the price of a single request. Up to 100,000 requests, in a body of at most 64 MB.
     */
    post: operations['createEmbeddingBatchV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/batches': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List batches, in Google’s format
     * @description Newest first.
     */
    get: operations['listContentBatches'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/batches/{batch_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    /**
     * Read a batch, in Google’s format
     * @description How far it is. When it has ended, `done` is true and `response.inlinedResponses` has an answer or an error for each request, in their order, with its `metadata`.
     */
    get: operations['getContentBatch'];
    put?: never;
    post?: never;
    /**
     * Delete a batch, in Google’s format
     * @description Removes a batch that has ended, and its results. One that has not is a 409: cancel it first.
     */
    delete: operations['deleteContentBatch'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/batches/{batch_id}:cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a batch, in Google’s format
     * @description Requests that have not begun do not begin any more and cost nothing; those that run are answered and charged. A batch that has ended stays as it is.
     */
    post: operations['cancelContentBatch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:batchGenerateContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a batch, in Google’s format (v1)
     * @description Takes many requests in the generateContent format at once, for one chat model of any vendor. The gateway answers them within 24 hours, when interactive requests leave capacity. You pay for a request when it runs, at the price of a single request. Up to 100,000 requests, in a body of at most 64 MB.
     *     If the model's vendor has its own batches at a lower price (`price.batch`), the gateway sends the requests there.
     */
    post: operations['createContentBatchV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/batches/{batch_id}:cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a batch, in Google’s format (v1)
     * @description Requests that have not begun do not begin any more and cost nothing; those that run are answered and charged. A batch that has ended stays as it is.
     */
    post: operations['cancelContentBatchV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/cachedContents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the contents that are kept
     * @description Those of the key's owner, by name.
     */
    get: operations['listCachedContents'];
    put?: never;
    /**
     * Keep a content for a Gemini model
     * @description Sends a long content to a vendor once, which keeps it by name. Requests with `cachedContent` begin with it and pay the price of cached input. The content is in the vendor account that made it, and such requests go there. You pay at once for its tokens as input, and `cache_storage` for the time that you keep it.
     */
    post: operations['createCachedContent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/cachedContents/{cached_content_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    /**
     * Read what is known of a content that is kept
     * @description Its model, its tokens and until when it is kept; not the content itself.
     */
    get: operations['getCachedContent'];
    put?: never;
    post?: never;
    /**
     * Delete a content that is kept
     * @description Lets go of it at its vendor. What was charged for the rest of its time is not given back: its vendor bills it.
     */
    delete: operations['deleteCachedContent'];
    options?: never;
    head?: never;
    /**
     * Keep a content for longer
     * @description Sets `ttl` or `expireTime` anew. What is added is charged at once; what is taken away is not given back.
     */
    patch: operations['updateCachedContent'];
    trace?: never;
  };
  '/v1/cachedContents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the contents that are kept (v1)
     * @description Those of the key's owner, by name.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    get: operations['listCachedContentsV1'];
    put?: never;
    /**
     * Keep a content for a Gemini model (v1)
     * @description Sends a long content to a vendor once, which keeps it by name. Requests with `cachedContent` begin with it and pay the price of cached input. The content is in the vendor account that made it, and such requests go there. You pay at once for its tokens as input, and `cache_storage` for the time that you keep it.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['createCachedContentV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/cachedContents/{cached_content_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    /**
     * Read what is known of a content that is kept (v1)
     * @description Its model, its tokens and until when it is kept; not the content itself.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    get: operations['getCachedContentV1'];
    put?: never;
    post?: never;
    /**
     * Delete a content that is kept (v1)
     * @description Lets go of it at its vendor. What was charged for the rest of its time is not given back: its vendor bills it.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    delete: operations['deleteCachedContentV1'];
    options?: never;
    head?: never;
    /**
     * Keep a content for longer (v1)
     * @description Sets `ttl` or `expireTime` anew. What is added is charged at once; what is taken away is not given back.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    patch: operations['updateCachedContentV1'];
    trace?: never;
  };
  '/v1beta/models/{model}:generateContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Chat, in the generateContent format
     * @description Answers a conversation in Google's form; the model stands in the path. Every chat model can be named. With a model that draws, `generationConfig.responseModalities` asks for pictures,
     *     `imageConfig` for their form, and pictures to edit come as `inlineData` parts beside the instruction.
     */
    post: operations['generateContent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:streamGenerateContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Chat, in the generateContent format, streamed
     * @description Streams the answer. With `alt=sse`, as the SDKs ask, each event is a complete `GenerateContentReply` whose parts are to be appended, and the stream ends when the connection closes.
     *     Without it the same pieces come as one JSON array that is sent bit by bit.
     */
    post: operations['streamGenerateContent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:countTokens': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Count tokens, in the generateContent format
     * @description Says how many input tokens contents would take, without asking the model to answer. Free of charge. For a model whose vendor cannot count, the number is an estimate and the reply
     *     carries `x-gateway-estimated`.
     */
    post: operations['countContentTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:generateContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Chat, in the generateContent format (v1)
     * @description Answers a conversation in Google's form; the model stands in the path. Every chat model can be named. With a model that draws, `generationConfig.responseModalities` asks for pictures,
     *     `imageConfig` for their form, and pictures to edit come as `inlineData` parts beside the instruction.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['generateContentV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:streamGenerateContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Chat, in the generateContent format, streamed (v1)
     * @description Streams the answer. With `alt=sse`, as the SDKs ask, each event is a complete `GenerateContentReply` whose parts are to be appended, and the stream ends when the connection closes.
     *     Without it the same pieces come as one JSON array that is sent bit by bit.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['streamGenerateContentV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:countTokens': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Count tokens, in the generateContent format (v1)
     * @description Says how many input tokens contents would take, without asking the model to answer. Free of charge. For a model whose vendor cannot count, the number is an estimate and the reply
     *     carries `x-gateway-estimated`.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['countContentTokensV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/streams/{stream_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-gateway-stream-id` of the answer.
         * @example stream_7Qm2vXc9TzL4kPbR8sWd1Nf6
         */
        stream_id: components['parameters']['StreamId'];
      };
      cookie?: never;
    };
    /**
     * Resume a stream
     * @description Continues a streamed answer after the last event that you received, without a gap, from any replica. It works while the answer runs and for ten minutes after its end, for requests with `x-gateway-resumable: true`. The events have the format of the request and the same ids. The gateway does not call the vendor again, and you pay nothing.
     *
     *     Only keys of its owner and mode can read a stream, several at once and as often as they want. The stream ends with an error event if the process that read the vendor has died, or if the answer exceeds the 8 MB limit.
     */
    get: operations['getStream'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/images/generations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make images
     * @description Makes pictures from a prompt. The body has one of two shapes; the model decides which (`formats` in `GET /v1/models`).
     *
     *     | | Shape | Model code, for example | Result |
     *     |---|---|---|---|
     *     | image model 1 | `prompt` | `doubao-seedream-4-5` | `data[]` with `url` and `size` |
     *     | image model 2 | `messages` | `qwen-image-2.0` | `output[]` with messages whose content is the picture's address |
     *     | image model 3 | `prompt` | `gpt-image-2` | `data[]` with `url` or `b64_json` |
     *
     *     `response_format` `url` and `b64_json` both work whatever the vendor gives. Addresses expire; fetch the pictures soon. Image model 4 draws through
     *     `POST /v1beta/models/{model}:generateContent`.
     */
    post: operations['createImage'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/images/edits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Edit images
     * @description Changes a picture, or makes one from several. The form holds the source as `image` (once, repeated, or as `image[]`), an optional `mask` whose transparent area is changed, and the instruction as
     *     `prompt`. Files are recognised by their bytes, kept outside memory while the request runs, and removed when it ends. Pictures that have an address may be sent as JSON instead.
     *
     *     Image editing models (image model 3) take the form as it is; models that edit by another wire are asked in theirs. A mask is refused for models that have none. `response_format` `url` and `b64_json`
     *     both work with every model.
     */
    post: operations['editImage'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/images/variations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Vary an image
     * @description Makes pictures like the one in `image`, without a prompt. No vendor offers this any more. The gateway asks a model that edits pictures for an edit, with its own instruction. The instruction asks to vary the picture and to keep its subject, style and composition. You pay the price of that edit. Models that take no pictures are a 400. To describe a change in words, use `POST /v1/images/edits`.
     */
    post: operations['createImageVariation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audio/speech': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Speak a text
     * @description Speaks a text with a preset voice and answers with the audio, sent as it is made. Every speech model can be named; the same models can be reached through `POST /v1/chat/completions`.
     *
     *     With `stream_format: sse` the audio comes as server-sent events (`SpeechStreamEvent`).
     */
    post: operations['createSpeech'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/music/generations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make music
     * @description Makes music or a sound effect from a prompt, and streams the audio back. You pay for the length that you ask for.
     */
    post: operations['createMusic'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audio/transcriptions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Write down a recording
     * @description Turns a recording into text: as JSON, text or subtitles, whole or as events. The gateway keeps the file outside memory while the request runs, sends it to the vendor as a stream, and removes it at the end.
     *
     *     For models with a price per second, you pay for the length of the sound. The gateway measures it and does not trust the file's own data. For models with a price per token, you pay for the tokens that the vendor counts.
     *
     *     The gateway refuses a file without sound, or one that is broken, too short, too long or of another type. A recording in which nobody speaks has an empty text.
     */
    post: operations['createTranscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audio/translations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Write down a recording in English
     * @description Answers with what is said in a recording, in English, whatever language it is in. Asked of a model that only transcribes, it is refused. Priced as a transcription is.
     */
    post: operations['createTranslation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/embeddings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn texts into vectors
     * @description Turns texts into vectors in OpenAI's form. Texts with similar meaning have vectors that are close together. You can name every embedding model of every vendor.
     *
     *     If a vendor takes fewer texts in one call, the gateway makes several calls in turn, and you get one answer. Vectors come as numbers or, with `encoding_format: base64`, as the bytes of 32-bit floats,
     *     little-endian, whatever the vendor makes of them.
     */
    post: operations['createEmbedding'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/embed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn texts into vectors (Cohere, v1)
     * @description The same as `POST /v2/embed` at the path of Cohere's first clients: without `embedding_types` the vectors come as one list of floats.
     */
    post: operations['createEmbed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/embed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn texts and pictures into vectors (Cohere)
     * @description Vectors in Cohere's form, at the path of its clients: a list for each requested type of numbers. You can name every embedding model of every vendor. If its vendor cannot make something, you get a 400. `x-gateway-dropped` lists settings that the vendor does not have.
     */
    post: operations['createEmbedV2'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:embedContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn a text into a vector, in Google's form
     * @description Turns one content into one vector; the model stands in the path. Every embedding model can be named. Its parts are texts; several are read as one, each in a line of its own.
     */
    post: operations['embedContent'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:batchEmbedContents': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn texts into vectors, in Google's form
     * @description Turns several contents into as many vectors; `@google/genai` asks this way even for one. `model` of each request, where it is there, names the model of the path; `outputDimensionality` is the same in all of them.
     */
    post: operations['batchEmbedContents'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:embedContent': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn a text into a vector, in Google's form (v1)
     * @description Turns one content into one vector; the model stands in the path. Every embedding model can be named. Its parts are texts; several are read as one, each in a line of its own.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['embedContentV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:batchEmbedContents': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Turn texts into vectors, in Google's form (v1)
     * @description Turns several contents into as many vectors; `@google/genai` asks this way even for one. `model` of each request, where it is there, names the model of the path; `outputDimensionality` is the same in all of them.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['batchEmbedContentsV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:predict': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make pictures, in Google's form
     * @description Makes pictures with any image model from the form of Imagen: `instances` has one object with the prompt, `parameters` says how many and how. The pictures come in base64. What the model cannot take is named in `x-gateway-dropped`.
     *     To change pictures use `POST /v1/images/edits`.
     */
    post: operations['generateImages'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:predict': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make pictures, in Google's form (v1)
     * @description Makes pictures with any image model from the form of Imagen: `instances` has one object with the prompt, `parameters` says how many and how. The pictures come in base64. What the model cannot take is named in `x-gateway-dropped`.
     *     To change pictures use `POST /v1/images/edits`.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['generateImagesV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta1/publishers/google/models/{model}:predict': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make pictures, in Google's form of its cloud
     * @description Makes pictures with any image model from the form of Imagen: `instances` has one object with the prompt, `parameters` says how many and how. The pictures come in base64. What the model cannot take is named in `x-gateway-dropped`.
     *     To change pictures use `POST /v1/images/edits`.
     *
     *     The same in the form of Google's cloud, whose addresses SDKs use when they are made with `vertexai: true`.
     */
    post: operations['generateImagesVertex'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/moderations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check texts and pictures for harm
     * @description Says of texts and pictures whether they are harmful, and in which way, in OpenAI's form. A text has one result, a list of texts one for each, a list of parts (texts and pictures that belong together) one.
     *     Without `model`, `omni-moderation-latest` is asked.
     */
    post: operations['createModeration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/rerank': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sort documents by how well they answer a query
     * @description Scores documents against a query and returns the best first. The form is Cohere's and Jina's, or Voyage's for requests with `top_k` or `truncation`. You can name every rerank model of every vendor.
     */
    post: operations['createRerank'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v2/rerank': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sort documents by a query (v2)
     * @description The same as `POST /v1/rerank`, at the path that Cohere's clients ask.
     */
    post: operations['createRerankV2'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/realtime': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Open a realtime conversation
     * @description A WebSocket for a spoken conversation, in the events of OpenAI's Realtime API. You can name every realtime model of every vendor. Send the key with the request that opens it: as a bearer token, or from a browser as the sub-protocol `openai-insecure-api-key.KEY` beside `realtime`. OpenAPI cannot describe the events; see OpenAI's reference of realtime events.
     *
     *     Every response counts towards the limits of the key, costs what its `response.done` reports, and is a row of the log. The transcription of the client's speech (`audio.input.transcription`) has a separate charge, at the price of its model. The key needs the right to use that model. The gateway reserves money when a response begins, or when it hears speech that needs an answer. If the money of the key is used up, you get an `error` event with the code `insufficient_quota`, and the connection closes with 1008.
     *
     *     With `intent=transcription`, the session only transcribes what it hears (`session.type: transcription`). Without `model`, the first `session.update` names it.
     *
     *     A refusal is an `error` event, and the connection stays open unless the event says otherwise. If the vendor is unreachable or disconnects, you get an `error` event, and the connection closes with 1011. It closes with 1000 after 60 minutes, or after 30 minutes of silence. It closes with 1001 when the gateway shuts down, after the running response, and with 1009 after a frame above 16 MB.
     */
    get: operations['connectRealtime'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Open a realtime conversation, in Google's form
     * @description A WebSocket for a spoken conversation in the messages of Google's Live API (`BidiGenerateContent`), with models of vendors that speak it. `@google/genai` opens it by `live.connect`. The key comes as `x-goog-api-key` or `?key=`; the model is named in the first message, `setup`.
     *
     *     Messages pass unchanged. Each turn counts towards the limits of the key, costs what its `usageMetadata` reports, and is a row of the log. A refusal closes the connection with 1008, with the reason in the closing frame. If the model does not speak this form, it closes with 1007.
     */
    get: operations['connectGeminiLive'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/ws/google.ai.generativelanguage.v1.GenerativeService.BidiGenerateContent': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Open a realtime conversation, in Google's form (v1)
     * @description A WebSocket for a spoken conversation in the messages of Google's Live API (`BidiGenerateContent`), with models of vendors that speak it. `@google/genai` opens it by `live.connect`. The key comes as `x-goog-api-key` or `?key=`; the model is named in the first message, `setup`.
     *
     *     Messages pass unchanged. Each turn counts towards the limits of the key, costs what its `usageMetadata` reports, and is a row of the log. A refusal closes the connection with 1008, with the reason in the closing frame. If the model does not speak this form, it closes with 1007.
     */
    get: operations['connectGeminiLiveV1'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/realtime/client_secrets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a client secret
     * @description A short-lived token that opens [a realtime conversation](ref:connectRealtime) and nothing else, to be given to a browser in place of the key. What is said with it is limited, charged and logged as if the key had been used. It is bound to its model, and dies with its key.
     */
    post: operations['createRealtimeClientSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/pass/{account}/{path}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the account, as the operator tells it.
         * @example openai
         */
        account: components['parameters']['PassThroughAccount'];
        /**
         * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
         * @example files/file-abc123/content
         */
        path: components['parameters']['PassThroughPath'];
      };
      cookie?: never;
    };
    /**
     * Read by GET
     * @description A vendor's own path that the operator has opened to your key. Your request goes to the account with the vendor's credentials in place of your key. You get the vendor's answer unchanged, errors included. The request counts towards the limits of the key, has a price per call or by the reported usage, and is in the log. You get nothing else of the gateway: no translation, routing or retries, no guardrails, no stored answers.
     *
     *     If `x-gateway-error-source` is `gateway`, or the vendor refused the gateway's own credentials, the answer is an error of the gateway.
     */
    get: operations['getPassThrough'];
    /**
     * Replace by PUT
     * @description As `GET`, with `PUT`. The body has any type and passes unchanged.
     */
    put: operations['putPassThrough'];
    /**
     * Send by POST
     * @description As `GET`, with `POST`. The body has any type and passes unchanged.
     */
    post: operations['postPassThrough'];
    /**
     * Delete by DELETE
     * @description As `GET`, with `DELETE`.
     */
    delete: operations['deletePassThrough'];
    options?: never;
    head?: never;
    /**
     * Change by PATCH
     * @description As `GET`, with `PATCH`. The body has any type and passes unchanged.
     */
    patch: operations['patchPassThrough'];
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
     *     | C | `image-urls` | `veo-3.1` | video with a sound track, from text or images |
     *     | D | `omni` | `kling-v3-omni` | video with native sound, frames, references and subjects |
     *     | E | `prompt` | `MiniMax-Hailuo-2.3` | video from a prompt or frames |
     *     | F | `seconds` | `sora-2` | OpenAI's shape; its own path is `POST /v1/videos` |
     *
     *     The gateway stores a task before it acknowledges it: with the vendor's receipt, or with its place in the queue of a full account. If the vendor got the job and never answered, the gateway does not send it again. The task then ends in `FAILURE` and costs nothing. If the vendor refuses the request itself, you get a 400. A later refusal ends the task.
     *
     *     `callback_url` asks for a signed webhook at the end; see `videoTaskEnded`.
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
     * @description The task's record. Reading it never calls the vendor, because a poller of the gateway keeps the record up to date. Reading often costs nothing.
     *
     *     - **Poll**: ask again until `data.status` is `SUCCESS` or `FAILURE`.
     *     - **Wait**: with `wait=30` you get the answer when the task has ended, or the current record after 30 seconds. Repeat until the end.
     *     - **Follow**: with `Accept: text/event-stream` you get every change of status or progress as an event. Its name is the status, and it has the same body. The first event is the current state, and the stream ends after the end state. Comment lines keep quiet streams open. `Last-Event-ID` resumes a broken stream.
     *
     *     A task that failed is still a 200 with `code: success`: the lookup succeeded. Its `status` is `FAILURE` and `fail_reason` says why. An unknown id is a 400 with the code
     *     `task_not_exist`. Tasks are visible to all keys of their owner and to nobody else.
     */
    get: operations['getVideoTask'];
    put?: never;
    post?: never;
    /**
     * Cancel a video task
     * @description Stops a task if its vendor can still stop it, and releases the reserved money. The answer is the record, with the `status` `FAILURE` and the `fail_reason` `task cancelled`. Vendors stop a job only while it waits, and some never do. Then, and if the task has already ended, you get a 409 and nothing changes.
     */
    delete: operations['cancelVideoTask'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List videos, in the OpenAI form
     * @description The tasks of the key's owner as OpenAI's video objects, through whichever endpoint they were made. To read on, give `last_id` of one page as `after` for the next.
     */
    get: operations['listVideos'];
    put?: never;
    /**
     * Create a video, in the OpenAI form
     * @description Starts a video from OpenAI's shape, as JSON or as a form with the first frame as a file. It is the path of family F (`sora-2`), and you can use it for every other video model too. `x-gateway-dropped` lists what such a model cannot take.
     *
     *     The identifier of a family F task starts with `video_`, its acknowledgement has no `task_id`, and its `created_at` is in milliseconds. Other families answer with their own
     *     acknowledgement. Either identifier works on `GET /v1/videos/{video_id}` and on `GET /v1/video/generations/{task_id}`.
     */
    post: operations['createVideo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos/edits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Edit a finished video
     * @description Starts a video that is a finished one of yours, changed as the prompt says. A model whose vendor edits no videos is refused with a 400 that names the models that can.
     */
    post: operations['editVideo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos/extensions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Extend a finished video
     * @description Starts a video that goes on where a finished one of yours ends. `seconds` is what is added, and what is paid for. A model whose vendor extends no videos is refused with a 400 that names the models
     *     that can.
     */
    post: operations['extendVideo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos/{video_id}/remix': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a video anew from a finished one
     * @description Starts a video that has the form, the length and the model of a finished one of yours and follows another prompt. OpenAI's own form has it; a model whose vendor has none is refused with a
     *     400 that names the models that can.
     */
    post: operations['remixVideo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos/{video_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    /**
     * Read a video, in the OpenAI form
     * @description The task as OpenAI's video object. It works for tasks of every family. When it is `completed`, `GET /v1/videos/{video_id}/content` streams the file.
     */
    get: operations['getVideo'];
    put?: never;
    post?: never;
    /**
     * Delete a video
     * @description Takes a task out of its owner's lists. One that is still at work is cancelled first; when its vendor can no longer stop it, the answer is a 409 and nothing changes. What was
     *     charged stays in the ledger.
     */
    delete: operations['deleteVideo'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/videos/{video_id}/content': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    /**
     * Download a video
     * @description Streams the finished file, from the vendor with the vendor's own credentials where those are needed, or from the gateway's storage. `Range` works, so that a player can seek.
     *
     *     Links in answers of the gateway (`result_url`) have `expires` and `signature` and need no key. A link belongs to the owner and mode of its task. It ends at `expires`, when the task is deleted, and when the last usable key of that owner and mode ends. A task that has not finished is a 400; an unknown one is a 404.
     */
    get: operations['getVideoContent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}:predictLongRunning': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a video, in Google's form
     * @description Starts a video of any video model from Google's form. `instances` has one object with the prompt and the start images, and `parameters` has the settings. `x-gateway-dropped` lists what the model cannot take, by its place in this form. Read the operation until it is `done`.
     */
    post: operations['generateVideos'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}:predictLongRunning': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a video, in Google's form (v1)
     * @description Starts a video of any video model from Google's form. `instances` has one object with the prompt and the start images, and `parameters` has the settings. `x-gateway-dropped` lists what the model cannot take, by its place in this form. Read the operation until it is `done`.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    post: operations['generateVideosV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}/operations/{operation_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
        /**
         * @description What stands behind `operations/` in the `name` of the operation; the whole name is taken, too.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        operation_id: components['parameters']['OperationId'];
      };
      cookie?: never;
    };
    /**
     * Read a video, in Google's form
     * @description The state of a video that was started in any form. While it runs, it has no `done`. At the end `done` is true, and it has a `response` with the addresses of the videos, or an `error` with a google.rpc code. The addresses need the key of the request, which `files.download` of Google's SDKs sends.
     */
    get: operations['getVideoOperation'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models/{model}/operations/{operation_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
        /**
         * @description What stands behind `operations/` in the `name` of the operation; the whole name is taken, too.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        operation_id: components['parameters']['OperationId'];
      };
      cookie?: never;
    };
    /**
     * Read a video, in Google's form (v1)
     * @description The state of a video that was started in any form. While it runs, it has no `done`. At the end `done` is true, and it has a `response` with the addresses of the videos, or an `error` with a google.rpc code. The addresses need the key of the request, which `files.download` of Google's SDKs sends.
     *
     *     The same as under `/v1beta`; current Google SDKs use this prefix.
     */
    get: operations['getVideoOperationV1'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta1/publishers/google/models/{model}:predictLongRunning': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a video, in Google's form of its cloud
     * @description Starts a video of any video model from Google's form. `instances` has one object with the prompt and the start images, and `parameters` has the settings. `x-gateway-dropped` lists what the model cannot take, by its place in this form. Read the operation until it is `done`.
     *
     *     The same in the form of Google's cloud, whose addresses SDKs use when they are made with `vertexai: true`.
     */
    post: operations['generateVideosVertex'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta1/publishers/google/models/{model}:fetchPredictOperation': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read a video, in Google's form of its cloud
     * @description The state of a video, by the `name` of its operation. The `response` of one that has ended has the videos themselves, in base64: Google's cloud has no addresses that a key opens.
     */
    post: operations['fetchVideoOperation'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/general/advanced-custom-elements': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a subject
     * @description Starts making a reusable character for family D from pictures or a video. Read it with `GET /v1/general/advanced-custom-elements/{task_id}` until `Status` is `FINISH`; then use its `ElementId` as
     *     `subject_infos[].Id` when creating a video. A subject belongs to the owner of the key that made it.
     */
    post: operations['createSubject'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/general/advanced-custom-elements/{task_id}': {
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
     * Read a subject task
     * @description The subject task in the `Response` envelope. It never calls the vendor. Poll until `Status` is `FINISH`: `ErrCode` 0 means success and `Output.InfoList[].ElementId` is the subject; anything else is a
     *     failure, explained by `ErrCodeExt` and `Message`.
     */
    get: operations['getSubject'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Use all MCP servers as one
     * @description Answers messages of the Model Context Protocol (Streamable HTTP) for every MCP server of the key, as one server. Names of tools and prompts begin with the name of their server and two underscores (`docs__search`). Addresses of resources begin with its name and a plus sign (`docs+file:///…`). You can use revisions 2026-07-28 (without sessions), 2025-11-25, 2025-06-18 and 2025-03-26, whichever the servers have.
     *
     *     A failed server is never an empty list. `_meta["model-gateway/faults"]` names it beside the lists of the others. If no server answers, you get an error. Send one message per request. `GET` and `DELETE` are a 405, as the protocol allows.
     */
    post: operations['callMcp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mcp/{server}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Use one MCP server
     * @description As `callMcp`, for one server of the operator, with its own names. `gateway` is the gateway itself, if the operator has turned it on. Its tools list models, estimate prices, and make pictures, speech, transcripts and videos. A server that the key cannot see is not found.
     */
    post: operations['callMcpServer'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/oauth-protected-resource/mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What protects the MCP endpoint
     * @description What RFC 9728 has clients of OAuth look for. There is one where the operator has configured MCP servers.
     */
    get: operations['getMcpMetadata'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/oauth-protected-resource/mcp/{server}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What protects the endpoint of one MCP server
     * @description What RFC 9728 has clients of OAuth look for. There is one where the operator has configured MCP servers.
     */
    get: operations['getMcpServerMetadata'];
    put?: never;
    post?: never;
    delete?: never;
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
     * @description The model codes that this key can use. `format` names the form of the list. Without it, the caller decides. The default is OpenAI's form. With an `anthropic-version` header it is Anthropic's. With the key in `x-goog-api-key` alone it is Google's, which lists the models of generateContent. OpenAI's form carries the gateway's own fields: kind, formats, endpoints, voices, limits, price.
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
  '/v1/models/{model}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    /**
     * Read a model
     * @description One model code, in the form that `GET /v1/models` would use for this request.
     */
    get: operations['getModel'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List models, in the Google form
     * @description The model codes this key may use that can be reached through generateContent.
     */
    get: operations['listGeminiModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/models/{model}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    /**
     * Read a model, in the Google form
     * @description One model code.
     */
    get: operations['getGeminiModel'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/estimate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Estimate a price
     * @description Says what a request would cost at most, for any body of any paid endpoint, without asking a vendor and without charging. The body is checked as the endpoint would check it.
     */
    post: operations['createEstimate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who am I
     * @description What the key of the request is: its limits and what is used of them, its owner and the balance.
     */
    get: operations['getMe'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read my usage
     * @description What all keys of the owner, in the mode of this key, used and paid between two times, by day, model, key, endpoint or tag. Days are UTC. What test keys use
     *     costs nothing; the report of a test key has the prices that live keys would have paid.
     */
    get: operations['getOwnUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/overview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read my overview
     * @description Requests, errors, tokens, money and times by time, of all keys of the owner in the mode of this key. Errors are answers of 400 and above. Percentiles are read from histograms and are right within 10 %.
     *     Times of first bytes are those of streamed answers. Counted from the same lines as the log of requests, some seconds behind; empty while `requests.log` is `off`.
     */
    get: operations['getOwnOverview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/requests': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List my requests
     * @description Requests of all keys of the owner in the mode of this key, newest first. The log has one line per request that counts towards limits: every `POST` with a key, except estimates. The gateway writes it about a second after the answer has ended, and keeps it for `requests.keep`.
     *
     *     A page also limits the rows that it reads. If few requests match the filters, it can have fewer lines than `limit`, even none, while `has_more` is true. Continue with `next_after`.
     */
    get: operations['listOwnRequests'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/requests/{request_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow one of my requests
     * @description One request in full: who was asked in which order, how long each took, and the bill line by line. What was asked and answered is among it where it is kept.
     */
    get: operations['getOwnRequest'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/statement': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read my statement
     * @description The account of the owner of this key over a period, in the mode of the key. It has the opening balance, top-ups and adjustments with their notes, charges, credits, and the closing balance. The opening balance and all amounts add up to the closing balance, to the unit.
     *
     *     Days and months are UTC. With `detail=requests`, the statement is complete whatever its size: it is written while the ledger is read. It shows the ledger as of the moment of the request; entries that are written
     *     later are not in it. Money that is set aside for running requests is still in the balance: `closing_reserved` says how much it is.
     */
    get: operations['getOwnStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/ledger': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List my ledger
     * @description Lines of the owner’s ledger in the mode of this key, newest first: top-ups, holds, charges. A line of a test key stands in a ledger of its own, which is nobody’s money.
     */
    get: operations['listOwnLedgerEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook-deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List my webhook deliveries
     * @description Webhooks of the owner’s tasks in the mode of this key and how their deliveries fare, newest first.
     */
    get: operations['listOwnWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook-deliveries/{delivery_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `webhook-id` of the delivery.
         * @example msg_2c1d0e9f8a7b6c5d
         */
        delivery_id: components['parameters']['DeliveryId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deliver my webhook again
     * @description Makes a delivery of the owner’s due at once, also one that was delivered or given up. Its `webhook-id` stays the same, so that the receiver can tell a repetition.
     */
    post: operations['replayOwnWebhookDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List files
     * @description The files of the key's owner in the key's mode, the newest first. With an `anthropic-version` header, the list has Anthropic's form (pages by `page`, or by `after_id` and `before_id`, 20 files without `limit`). With the key in `x-goog-api-key` alone, it has Google's form (`pageSize` and `pageToken`, 10 files). Otherwise it has OpenAI's form (pages by `after`, all files, at most 10000). `format` names the form.
     */
    get: operations['listFiles'];
    put?: never;
    /**
     * Upload a file
     * @description Stores a file that other requests name by its id: chat requests in every format, and batches. The gateway stores the bytes unchanged. The answer has Anthropic's form if the request has an `anthropic-version` header, and OpenAI's otherwise.
     *
     *     A file belongs to the owner of the key that uploaded it, live and test keys apart. The operator limits the files and bytes of an owner (`files.uploads`, `files.uploads_count`). Beyond the limit, an upload is a 403.
     */
    post: operations['uploadFile'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/files/{uploaded_file_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    /**
     * Read what is known of a file
     * @description Its name, size, purpose and type. The answer has Anthropic's form when the request has an `anthropic-version` header, Google's when its key comes in `x-goog-api-key` alone, OpenAI's otherwise.
     */
    get: operations['getUploadedFile'];
    put?: never;
    post?: never;
    /**
     * Delete a file
     * @description From now on nobody finds it, and requests that name it are refused. A batch that reads it goes on.
     */
    delete: operations['deleteFile'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/files/{uploaded_file_id}/content': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    /**
     * Download a file
     * @description Its bytes, as a download. `content-disposition` is `attachment`, and types that a browser would run become `application/octet-stream`.
     */
    get: operations['downloadFile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/uploads': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin an upload in parts
     * @description For files that are too large or too slow for one request. Send its parts, in any order and several at once, then complete it; it expires an hour after it was begun. The file may be as large as in one
     *     request (`files.largest_upload`).
     */
    post: operations['createUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/uploads/{upload_id}/parts': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a part
     * @description Adds a part of at most 64 MB to an upload that is pending.
     */
    post: operations['createUploadPart'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/uploads/{upload_id}/complete': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make the file of its parts
     * @description Puts the parts together in the order of `part_ids`. The upload is refused, and stays pending, where they have not as many bytes as were announced.
     */
    post: operations['completeUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/uploads/{upload_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give an upload up
     * @description Its parts are removed.
     */
    post: operations['cancelUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/upload/v1beta/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin an upload, in Google's form
     * @description Google's resumable protocol, as its SDKs speak it: this answers with the address that the bytes are sent to. The file lives for 48 hours, as at Google.
     */
    post: operations['startGeminiUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/upload/v1beta/files/{upload_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send bytes of an upload, in Google's form
     * @description The body is the bytes as they are, from `x-goog-upload-offset` on; `upload, finalize` makes the file. `query` asks how many have come, `cancel` gives the upload up. Send a key here, too.
     */
    post: operations['sendGeminiUpload'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/upload/v1/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin an upload, in Google's form, by its other path
     * @description Google's resumable protocol, as its SDKs speak it: this answers with the address that the bytes are sent to. The file lives for 48 hours, as at Google.
     */
    post: operations['startGeminiUploadV1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/files/{uploaded_file_id}:download': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    /**
     * Download a file, in Google's form, by its other path
     * @description Its bytes, as a download. `content-disposition` is `attachment`, and types that a browser would run become `application/octet-stream`.
     */
    get: operations['downloadGeminiFileV1'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List files, in Google's form
     * @description The files of the key's owner in the key's mode, the newest first, those that were uploaded in other forms, too.
     */
    get: operations['listGeminiFiles'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/files/{uploaded_file_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    /**
     * Read what is known of a file, in Google's form
     * @description Its name, size and type.
     */
    get: operations['getGeminiFile'];
    put?: never;
    post?: never;
    /**
     * Delete a file, in Google's form
     * @description From now on nobody finds it.
     */
    delete: operations['deleteGeminiFile'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1beta/files/{uploaded_file_id}:download': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    /**
     * Download a file, in Google's form
     * @description Its bytes, as a download. `content-disposition` is `attachment`, and types that a browser would run become `application/octet-stream`.
     */
    get: operations['downloadGeminiFile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/files/{file_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file; part of the link.
         * @example file_4e1d7a0c9b8f
         */
        file_id: components['parameters']['FileId'];
      };
      cookie?: never;
    };
    /**
     * Download a file
     * @description A file that the gateway keeps: a picture for which you asked an address, or a copy of a video whose vendor link expires. Other answers contain the link, and it needs no key. It works until `expires`, and then answers 401. If the file ends earlier, it is a 404. That happens when its task is deleted, or when the last usable key of its owner and mode ends.
     */
    get: operations['getFile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/vendor-webhooks/{task_id}': {
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
    get?: never;
    put?: never;
    /**
     * Tell that a vendor's job has news
     * @description For vendors, not for callers. If the operator sets `tasks.vendor_webhooks`, the gateway gives this address to vendors that call back when a job changes. Each task has an address of its own, and nobody can guess it. Where the vendor signs, the gateway checks the signature over the unchanged body.
     *
     *     A webhook is only a hint: the gateway then asks the vendor about the task with its own credentials. It reads nothing from the body. A lost webhook costs nothing, because the gateway also asks at intervals. A vendor can cause one question per second for each task.
     *
     *     `409` means that the webhook repeats an earlier one, or comes before the gateway knows the job. `401` means that the address is not one of the gateway's, that it has expired, or that the vendor did not sign the webhook. Without `tasks.vendor_webhooks`, a genuine address gets `404`, and any other one `401`.
     */
    post: operations['receiveVendorWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/console/sign-in': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * How to sign in
     * @description The ways to sign in, for the page that offers them. Nobody is asked for it: an identity provider that is away is noticed when somebody signs in.
     */
    get: operations['getConsoleSignIn'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/console/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who is signed in
     * @description Who the cookie, or the key, of this request stands for, and the token that requests with the cookie have to send in `x-csrf-token`.
     */
    get: operations['getConsoleSession'];
    put?: never;
    /**
     * Sign in
     * @description Starts a session for the key of this request, which is a key of the public API or the admin key. The browser gets it as a cookie: `HttpOnly`, `SameSite=Strict`, and `Secure` over https. You do not have to store the key. A cookie alone starts no session.
     */
    post: operations['createConsoleSession'];
    /**
     * Sign out
     * @description Ends the session of the cookie and takes the cookie back. Without one there is nothing to end.
     */
    delete: operations['deleteConsoleSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/console/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List sessions
     * @description Open sessions of this key; with the admin key those of the admin key. Newest first, at most 100.
     */
    get: operations['listConsoleSessions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/console/sessions/{session_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End another session
     * @description Ends one of the sessions that are listed. It ends at once, on every replica.
     */
    delete: operations['revokeConsoleSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List keys
     * @description Keys, newest first, without their secrets.
     */
    get: operations['listKeys'];
    put?: never;
    /**
     * Create a key
     * @description Makes a key and shows its secret, once. It works at once on every replica. The gateway refuses a model that is not in the catalogue, and an expiry in the past. It also refuses the name of another live key of the owner. An `Idempotency-Key` that is used again makes no second key and answers 409, because the secret is not stored.
     */
    post: operations['createKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/keys/{key_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    /**
     * Read a key
     * @description One key, without its secret.
     */
    get: operations['getKey'];
    put?: never;
    post?: never;
    /**
     * Revoke a key
     * @description Ends a key for good, within 2 seconds on every replica. Requests that are running finish. Revoking twice is the same as once.
     */
    delete: operations['revokeKey'];
    options?: never;
    head?: never;
    /**
     * Change a key
     * @description Changes what is given and leaves the rest. It takes effect within 2 seconds on every replica. Keys of the configuration file are refused with 409.
     */
    patch: operations['updateKey'];
    trace?: never;
  };
  '/admin/keys/{key_id}/limits': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    /**
     * Show what is used of a key
     * @description The limits of a key and what is used of them, as `/v1/me` shows them to the key itself.
     */
    get: operations['getKeyLimits'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/keys/{key_id}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate a key
     * @description Makes a new key with the same owner, scope and limits, and lets the old one expire after the overlap. The new secret is shown once. Spend caps count both keys' use apart. An
     *     `Idempotency-Key` that is used again makes no second key and answers 409, because the secret is not stored.
     */
    post: operations['rotateKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/owners': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List owners
     * @description Owners with their balances, oldest first.
     */
    get: operations['listOwners'];
    put?: never;
    /**
     * Create an owner
     * @description Makes an owner with an empty balance.
     */
    post: operations['createOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/owners/{owner_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    /**
     * Read an owner
     * @description One owner with its balance.
     */
    get: operations['getOwner'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change an owner
     * @description Changes what is given and leaves the rest.
     */
    patch: operations['updateOwner'];
    trace?: never;
  };
  '/admin/owners/{owner_id}/topups': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Add money
     * @description Adds to an owner's balance. With an `Idempotency-Key` a repeated request adds once.
     */
    post: operations['topUpOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/owners/{owner_id}/adjustments': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Correct a balance
     * @description Writes a correction with its reason. Below zero it takes money away.
     */
    post: operations['adjustOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/owners/{owner_id}/statement': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    /**
     * Read the statement of an owner
     * @description The account of one owner over a period: opening balance, top-ups and adjustments with their notes, charges, credits, closing balance. The opening balance and all amounts add up to the closing balance, to the unit.
     *
     *     Days and months are UTC. With `detail=requests`, the statement is complete whatever its size: it is written while the ledger is read. It shows the ledger as of the moment of the request; entries that are written
     *     later are not in it. Money that is set aside for running requests is still in the balance: `closing_reserved` says how much it is.
     */
    get: operations['getOwnerStatement'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read usage
     * @description What was used and charged between two times, by day, model, key, owner, organization, project, user, session, run, endpoint, account, vendor, tag or default price. Days are UTC. What test keys use costs nothing and is a report of its own, `mode=test`, with the prices
     *     that live keys would have paid.
     */
    get: operations['getUsage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/overview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the overview
     * @description Requests, errors, tokens, money and times by time, of everybody or of one owner. Errors are answers of 400 and above. Percentiles are read from histograms and are right within 10 %.
     *     Times of first bytes are those of streamed answers. Counted from the same lines as the log of requests, some seconds behind; empty while `requests.log` is `off`.
     */
    get: operations['getOverview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/requests': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List requests
     * @description Requests of everybody, newest first. The log has one line per request that counts towards limits: every `POST` with a key, except estimates. The gateway writes it about a second after the answer has ended, and keeps it for `requests.keep`.
     *
     *     A page also limits the rows that it reads. If few requests match the filters, it can have fewer lines than `limit`, even none, while `has_more` is true. Continue with `next_after`.
     */
    get: operations['listRequests'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/requests/{request_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow a request
     * @description One request in full: who was asked in which order, how long each took, and the bill line by line. What was asked and answered is among it where it is kept; that it was read is in the audit log (`request.read`).
     */
    get: operations['getRequest'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/requests/{request_id}/cache': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Explain the prompt cache of a request
     * @description What a chat request read from its vendor's prompt cache, and what it could have read. If it lost something, the answer names the cause, the first block of the prompt that changed, and the price of the loss.
     *     The gateway compares keyed hashes of the blocks with an earlier request of the same key. It keeps no content for this.
     */
    get: operations['getRequestCache'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/replay-estimate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Estimate requests on another model
     * @description What recent chat requests of a key would have cost on another model, and how long that model takes. The estimate multiplies the recorded tokens by the prices of the other model, and calls no vendor.
     *     Models count tokens differently, and answer at different lengths. To know more, run a sample with `gateway replay`.
     */
    get: operations['estimateReplay'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/cache-report': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Report losses of prompt caches
     * @description For each key, the input tokens of its chat requests, and how many of them vendors read from their prompt caches. Also what reading more of them would have saved, by cause. The greatest losses come first.
     *     The report covers whole days in UTC. It counts requests long enough to cache, to models with a price for cached input. It is empty if `requests.log` is `off`.
     */
    get: operations['getCacheReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/dropped-parameters': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List dropped parameters
     * @description Parameters that did not reach the vendor as the client sent them, with the number of requests, by key and model. The most frequent come first.
     *     The answer of each request lists them in `x-gateway-dropped`, but agents and SDKs rarely show that header.
     *     The gateway counts whole days in UTC, and keeps the counts for 400 days. It counts nothing if `requests.log` is `off`.
     */
    get: operations['listDroppedParameters'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/requests/{request_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id: components['parameters']['RequestId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Prepare a request for another model
     * @description What to send so that another model answers a recorded chat request, and how it was answered. Calls no vendor: send it with a key of your own. Give the new answer as `answer`, and the reply says how both answers differ.
     *     The request needs content that is kept. The audit log has a line for each call that reads it (`request.read`).
     */
    post: operations['prepareReplay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/requests/{request_id}/waive': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id: components['parameters']['RequestId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Waive what a request was charged
     * @description Gives the charge of a request back to its owner, once, with a reason. Use it for faults of the gateway, such as an estimated charge after a crash. The request keeps its charge. The ledger gets a correction that names it, and the audit log a line (`request.waive`). Caps of the key do not change.
     */
    post: operations['waiveRequest'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/config': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the configuration
     * @description The loaded configuration: its files and every setting, with secrets as `***`. It also has the faults of the current file and of entries of the database. The last part is the changes of the last reload, in the process that answers.
     */
    get: operations['getConfig'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/config/entries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List entries of the configuration
     * @description Every model, account and budget of the configuration, with the layers that have a row of its name: the built-in catalogue, the file, the database. What lies above replaces members of what lies beneath. Secrets are `***`.
     */
    get: operations['listConfigEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/config/entries/{section}/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The list.
         * @example models
         */
        section: components['schemas']['ConfigSection'];
        /**
         * @description The code of the model, or the name of the account or the budget; a `/` in it is `%2F`.
         * @example gpt-5.2
         */
        name: string;
      };
      cookie?: never;
    };
    /**
     * Read an entry of the configuration
     * @description One row with where it comes from: as it is in effect, what the database has of it, and what lies beneath.
     */
    get: operations['getConfigEntry'];
    /**
     * Change a model, an account or a budget
     * @description Keeps members of a row in the database, over the row of the file or the built-in catalogue; or takes the row away. It replaces what the database had for it. What comes of it is checked as `check-config` checks a file: with any fault
     *     nothing is changed, and the 400 names them all with their places. It takes effect without a restart, on every replica within a second; requests under way are not disturbed. Refused with 409 where `config.source` is `file`.
     */
    put: operations['putConfigEntry'];
    post?: never;
    /**
     * Fall back to the file
     * @description Takes the entry out of the database; what lies beneath is in effect again. Refused with 400 when another entry needs it, with all faults.
     */
    delete: operations['deleteConfigEntry'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/config/changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List changes of the configuration
     * @description Every change of models, accounts and budgets in the database, newest first. They are in the audit log, too; here with what can be undone.
     */
    get: operations['listConfigChanges'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/config/changes/{change_id}/undo': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the change.
         * @example 17
         */
        change_id: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Undo a change of the configuration
     * @description Puts the entry back as it was before the change; secrets too. That is a change of its own, and can be undone. A change over which there is a later one of the same row is refused with 409: that one is undone first. Checked as
     *     any other change.
     */
    post: operations['undoConfigChange'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List changes by operators
     * @description Every change through the admin API or the commands, newest first: who made it, what was there before and after, and in which request. Secrets are never part of it. A line is written in the transaction of its change: both are there, or
     *     neither; what was refused or changed nothing leaves none.
     */
    get: operations['listAuditEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/ledger': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List ledger lines
     * @description Lines of the ledger, newest first.
     */
    get: operations['listLedgerEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/ledger/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify the ledger
     * @description Computes every balance, every spend window and every hold again from the lines, and says what differs. It changes nothing.
     */
    post: operations['verifyLedger'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/ledger/replay/{request_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id: components['parameters']['RequestId'];
      };
      cookie?: never;
    };
    /**
     * Explain a bill
     * @description Computes the bill of one request again from the usage and the prices it was made with, line by line.
     */
    get: operations['replayLedger'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/invariants': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Report the invariants
     * @description Rules that must always hold for the rows together, and the rows that break them. Once a minute, one process checks a bounded number of rows for all. It checks new and overdue rows each time, and the whole ledger and all owners in parts. `whole_at` has the end of the last complete round. `look=true` checks now. To recompute everything at once, verify the ledger.
     */
    get: operations['getInvariants'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/jobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List maintenance jobs
     * @description Maintenance jobs of every process, newest first: those that wait, run and have ended. A job whose process has died is `interrupted`.
     */
    get: operations['listJobs'];
    put?: never;
    /**
     * Start a maintenance job
     * @description Starts work that reads more than a page, and answers at once with the job. The job runs in the gateway, and you can [read](ref:getJob) and [cancel](ref:cancelJob) it. Two jobs run at a time in all processes together. The next ones are `queued`, up to 20; then you get a 429. If a job with the same kind and parameters waits or runs, you get that job, and no other one starts.
     */
    post: operations['createJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/jobs/{job_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the maintenance job.
         * @example 12
         */
        job_id: components['parameters']['JobId'];
      };
      cookie?: never;
    };
    /**
     * Read a maintenance job
     * @description One job: its state, how far it is, and when it has ended, what it found or why it failed.
     */
    get: operations['getJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/jobs/{job_id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the maintenance job.
         * @example 12
         */
        job_id: components['parameters']['JobId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a maintenance job
     * @description Ends a job that waits or runs, in whichever process: one that waits at once, one that runs within a second. Cancelling it again changes nothing. A 409 says that it had ended before.
     */
    post: operations['cancelJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/jobs/{job_id}/file': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the maintenance job.
         * @example 12
         */
        job_id: components['parameters']['JobId'];
      };
      cookie?: never;
    };
    /**
     * Download the file of a maintenance job
     * @description The CSV file of an export or a statement, or the copy of the database of a backup. It is kept for 24 hours after the job has ended, then the answer is a 404. A download leaves a line in the audit log.
     */
    get: operations['getJobFile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/tasks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List all tasks
     * @description Tasks of every owner, newest first, with what the poller knows of them.
     */
    get: operations['listAllTasks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/tasks/{task_id}': {
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
     * Read any task
     * @description One task of any owner, with the state of its polling. Tasks that their owner has deleted are included.
     */
    get: operations['getAnyTask'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/tasks/{task_id}/cancel': {
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
    get?: never;
    put?: never;
    /**
     * Cancel any task
     * @description Stops a job of any owner if its vendor can still stop it. Nobody pays for it then. A 409 means that it is too late.
     */
    post: operations['cancelAnyTask'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List all models
     * @description Every model of the catalogue, whichever keys may use it, with the prices of the group `default`. `simulated` is true where no vendor account has credentials, so that the built-in vendor twin answers live keys too.
     */
    get: operations['listAllModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/models/changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Compare models with vendors' lists
     * @description Asks every active account for its models, and compares them with the catalogue. Differences are new, missing, deprecated and retired models, and other limits or prices. Vendors without a list of models are named. It changes nothing. Send a `proposal` to [`PUT /admin/config/entries/models/{name}`](ref:putConfigEntry) to accept the change.
     */
    get: operations['listModelChanges'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/accounts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List vendor accounts
     * @description Every vendor account with its health in the process that answers. Credentials are never shown.
     */
    get: operations['listAccounts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/accounts/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Test an account before it is kept
     * @description Checks an account as the configuration would, calls its vendor once, and lists its models, from the vendor or from the catalogue. The call has at most 16 tokens and is about the cheapest, but the vendor can charge it. If the vendor lists models and the catalogue has none, the call only gets the list. The gateway stores nothing but a line of the audit log, with the name of the account and the host that was asked. No answer and no line of the log contains a secret.
     */
    post: operations['testAccountDraft'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/accounts/{account_id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the account, the `channel_id` of task records.
         * @example 1
         */
        account_id: components['parameters']['AccountId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Test an account
     * @description One call to the vendor, and what its outcome means: about the cheapest there is, of at most 16 tokens, which the vendor may charge. The account’s health and budgets do not count it.
     */
    post: operations['testAccount'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/vendors': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List vendors
     * @description Whom accounts can be made for: every built-in account, and every vendor that the gateway can speak to. Each names the credentials and settings of its accounts, and the variables of the environment that the built-in account reads.
     */
    get: operations['listVendors'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/people': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List people
     * @description Everybody whom the identity provider has signed in, those who came last first. People who only use keys are not among them.
     */
    get: operations['listPeople'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/people/{person_id}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the person.
         * @example 4
         */
        person_id: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Block a person, or let them in again
     * @description Blocking ends every open session of the person at once and refuses further sign-ins, whatever the identity provider says. Keys that the person has go on working: revoke them where they should not.
     */
    patch: operations['updatePerson'];
    trace?: never;
  };
  '/admin/people/{person_id}/sign-out': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the person.
         * @example 4
         */
        person_id: number;
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sign a person out
     * @description Ends every open session of the person. They may sign in again.
     */
    post: operations['signOutPerson'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/budgets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List budgets
     * @description Every limit of money, and every budget of an account: spend caps of keys, credit of owners, budgets of vendor accounts, the fullest first.
     *     What is used includes what is set aside for requests that run. Budgets of accounts are those of the process that answers.
     */
    get: operations['listBudgets'];
    put?: never;
    /**
     * Create a budget
     * @description Makes a budget above keys, and keeps it in the database. It counts from now on in every process. With 409, there is a budget of this name already, or `config.source: file` locks budgets.
     */
    post: operations['createBudget'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/budgets/{budget}': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the budget, or its number.
         * @example research
         */
        budget: string;
      };
      cookie?: never;
    };
    /**
     * Read a budget
     * @description A budget of the file or of the database, as it is in effect. [`GET /admin/budgets`](ref:listBudgets) tells what is used of it.
     */
    get: operations['getBudget'];
    put?: never;
    post?: never;
    /**
     * Delete a budget
     * @description Takes the budget out of the database; it refuses nothing from now on. Budgets of the file are deleted there: with them you get a 409.
     */
    delete: operations['deleteBudget'];
    options?: never;
    head?: never;
    /**
     * Change a budget
     * @description Changes what is given and leaves the rest; null takes a member away. What the budget has counted stays, unless its window or `each` is another one. Budgets of the file are changed there: with them you get a 409.
     */
    patch: operations['updateBudget'];
    trace?: never;
  };
  '/admin/bills/check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check a vendor's bill
     * @description Compares what a vendor charged with what the requests in the ledger cost, by day, model and account. Differences come with their likely causes. Nothing is stored. `gateway bills check` and the console make the lines of an export, however large it is.
     */
    post: operations['checkBill'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/alerts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List alerts
     * @description Alerts and what became of them, newest first: one row for each alert and channel. The gateway keeps them for 30 days.
     */
    get: operations['listAlerts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/alerts/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a test alert
     * @description Sends a test message to one channel or to all channels, waits for the result, and returns it. A test is not retried.
     */
    post: operations['testAlerts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/guardrails': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List guardrails
     * @description The guardrails of the configuration, in their order. Headers of hooks are never shown.
     */
    get: operations['listGuardrails'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/guardrails/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try a text
     * @description Checks a text as a request or an answer with this model, key and group. Returns the findings of each guardrail, and the text that would pass. The gateway calls no vendor, hook or moderation model, and writes nothing to the log.
     */
    post: operations['testGuardrails'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/routes/explain': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Explain a route
     * @description Plans a request without sending it. Returns the offers in order, and why others are left out. It uses the catalogue and the health of accounts in the process that answers. If weights decide, the order is one random draw.
     */
    post: operations['explainRoute'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/webhook-deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List webhook deliveries
     * @description Webhooks and how their deliveries fare, newest first.
     */
    get: operations['listWebhookDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/admin/webhook-deliveries/{delivery_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `webhook-id` of the delivery.
         * @example msg_2c1d0e9f8a7b6c5d
         */
        delivery_id: components['parameters']['DeliveryId'];
      };
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deliver a webhook again
     * @description Makes a delivery due at once, also one that was delivered or given up. Its `webhook-id` stays the same, so that the receiver can tell a repetition.
     */
    post: operations['replayWebhookDelivery'];
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
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Metrics
     * @description Counters, histograms and gauges in the Prometheus text format. They cover requests, time to the first token and per token, tokens, cost, attempts at vendors and cool-downs. Others cover tasks, webhooks, leases, the database and the event loop. Metrics of generative AI have the names of OpenTelemetry's conventions. The guide on observability lists every metric.
     *
     *     If the admin API has its own port, the metrics are there. They need the key of `server.metrics_key`. Without a key, they are open if only the gateway's own machine can reach it, and closed otherwise. `none` opens them in both cases.
     */
    get: operations['getMetrics'];
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
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The documentation
     * @description The documentation portal for people: guides, this reference, and a form to try each operation against the built-in vendor twin. It works without internet access.
     */
    get: operations['getDocs'];
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
    /** @description A call of a function. */
    ChatFunctionCall: {
      /** @description Names this call in the `tool` message that answers it. */
      id: string;
      /** @constant */
      type: 'function';
      function: {
        /** @description Which function. */
        name: string;
        /** @description Its arguments as JSON text, as the model wrote it; check it before use. */
        arguments: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description A call of a custom tool, on models that have them. */
    ChatCustomCall: {
      /** @description Names this call in the `tool` message that answers it. */
      id: string;
      /** @constant */
      type: 'custom';
      custom: {
        /** @description Which tool. */
        name: string;
        /** @description What it is given, as free text. */
        input: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description A call that the model wants to be made; `type` says of which kind of tool. */
    ChatToolCall: components['schemas']['ChatFunctionCall'] | components['schemas']['ChatCustomCall'];
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
      /** @description Citations of documents that the request brought, of models whose vendors cite them, as the vendor has them (Anthropic: `{type: page_location, cited_text, document_title, start_page_number, …}`). */
      citations?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description Calls to make, each to be answered by a `tool` message with its id. */
      tool_calls?: components['schemas']['ChatToolCall'][] | null;
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
      /** @description The caller's own texts, of an answer that is kept. */
      metadata?: {
        [key: string]: string;
      } | null;
      usage?: components['schemas']['ChatUsage'] | null;
    } & {
      [key: string]: unknown;
    };
    /** @description One page of kept answers. */
    ChatCompletionList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ChatCompletion'][];
      /** @description The id of the first of them. */
      first_id: string | null;
      /** @description The id of the last of them, for `after`. */
      last_id: string | null;
      /** @description Whether there are more behind it. */
      has_more: boolean;
    };
    /** @description What was wrong, where, and what would be right. */
    ErrorDetail: {
      /** @description One or two sentences for a person. Never contains a secret, a vendor account or an internal address. */
      message: string;
      /** @description OpenAI's class of the error, `invalid_request_error`, `rate_limit_error`, `insufficient_quota` or `server_error`. */
      type: string;
      /** @description The place in the request, as a path such as `messages[2].content[0].image_url.url`; null when no single place is to blame. */
      param: string | null;
      /** @description OpenAI's code of the error, as listed at `ErrorCode`, or the vendor's own. */
      code: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The error body of OpenAI's API, which the `openai` SDK turns into its typed errors. */
    OpenAiError: {
      error: components['schemas']['ErrorDetail'];
    };
    /** @description One message of a conversation. */
    ChatMessage: {
      /** @description Who speaks, `developer`, `system`, `user`, `assistant`, `tool` or `function`. */
      role: string;
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
      name?: string | null;
      /** @description The calls an assistant message made: `{id, type: function, function: {name, arguments}}`. */
      tool_calls?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description In a `tool` message, the call it answers. */
      tool_call_id?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A voice by its id, as OpenAI's clients name voices of their own. */
    VoiceReference: {
      [key: string]: unknown;
    };
    /** @description How speech is made. For a speech model without `stream` use `wav`; with `stream: true` use `pcm16`: 24 kHz, 16 bit, little-endian, mono. */
    ChatAudioOptions:
      | ({
          /** @description `wav` for an answer in one piece, `pcm16` for a stream; some models offer more, such as `mp3`. */
          format?: string;
          /** @description A preset voice of the model, as listed in `voices` by `GET /v1/models`. An unknown voice is refused with 400 and the list of known ones. */
          voice?: string | components['schemas']['VoiceReference'];
        } & {
          [key: string]: unknown;
        })
      | null;
    /**
     * @description A chat request in OpenAI's chat-completions form. Fields that are not listed here pass through to a vendor that speaks this dialect.
     *     For a model of another dialect, the response header `x-gateway-dropped` lists what a translation cannot carry. A field whose loss would change the meaning is a 400.
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
            include_usage?: boolean | null;
            /** @description True for a stream that can be resumed, as the header `x-gateway-resumable` says it. For the gateway alone; no vendor is told. */
            resumable?: boolean;
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
      /**
       * @description True for an answer that the gateway keeps: it can be listed, read and deleted. Nothing is kept without it. Where the gateway keeps nothing, the wish
       *     goes on to a vendor that has it.
       */
      store?: boolean | null;
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
      /** @description Functions the model may call, each `{type: function, function: {name, description, parameters}}`, and MCP servers that the operator has listed, each `{type: mcp, server_label}`: the gateway calls their tools itself. A name that is translated for another format's model has at most 4,096 characters. */
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
      /** @description Up to 16 pairs of text, for the caller's own use; what a kept answer has, and is found by. */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description A stable label of the end user. */
      user?: string | null;
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
    /** @description What is changed of a kept answer. */
    ChatCompletionUpdate: {
      /** @description Up to 16 texts of your own, in place of those that there are. */
      metadata: {
        [key: string]: string;
      } | null;
    };
    /** @description A kept answer that is gone. */
    ChatCompletionDeleted: {
      /** @description Its id. */
      id: string;
      /** @constant */
      object: 'chat.completion.deleted';
      /** @constant */
      deleted: true;
    };
    /** @description A message that a kept answer was asked with. */
    ChatStoredMessage: {
      /** @description The id of the answer and the place of the message. */
      id: string;
      /** @description Who speaks. */
      role: string;
      /** @description Its text; null where it was a list of parts. */
      content: string | null;
      /** @description Its texts and pictures, where it was a list of parts. */
      content_parts?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description What an earlier answer refused with. */
      refusal?: string | null;
      /** @description Tells several speakers of one role apart. */
      name?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description One page of the messages of a kept answer. */
    ChatStoredMessageList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ChatStoredMessage'][];
      /** @description The id of the first of them. */
      first_id: string | null;
      /** @description The id of the last of them, for `after`. */
      last_id: string | null;
      /** @description Whether there are more behind it. */
      has_more: boolean;
    };
    /** @description A request for text completions in OpenAI's legacy form. Fields that are not listed here pass through to a vendor that has this form. A chat model gets the prompt as a user message. The response header `x-gateway-dropped` lists what a translation cannot carry. A field whose loss would change the meaning is a 400. */
    CompletionRequest: {
      /** @description The model code, as listed by `GET /v1/models`. */
      model: string;
      /** @description The text to complete. If the model's vendor completes texts, it is also a list of texts, a list of tokens, or a list of lists of tokens. Chat models take one text. */
      prompt?: string | (string | number | number[])[] | null;
      /** @description The text behind the gap that is to be filled. Refused for chat models. */
      suffix?: string | null;
      /** @description True for server-sent events, ending with the line `data: [DONE]`. Without it the answer comes in one piece. */
      stream?: boolean | null;
      /** @description Options of a stream. */
      stream_options?:
        | ({
            /** @description True for a last chunk with empty `choices` and the `usage` of the whole request. */
            include_usage?: boolean | null;
            /** @description True for a stream that can be resumed, as the header `x-gateway-resumable` says it. For the gateway alone; no vendor is told. */
            resumable?: boolean;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description The most tokens an answer may take. Without it the vendor decides (OpenAI writes 16), and a chat model answers until it has finished. */
      max_tokens?: number | null;
      /** @description How many answers for each prompt. More than one is refused for models that give only one. */
      n?: number | null;
      /** @description How many answers are written, of which the `n` best are given. Refused for chat models where it is more than `n`. */
      best_of?: number | null;
      /** @description True for an answer that begins with its prompt. */
      echo?: boolean | null;
      /** @description How many likely tokens to name at each place, with their log probabilities, beside the one that was taken. */
      logprobs?: number | null;
      /** @description 0 to 2; higher is more varied. */
      temperature?: number | null;
      /** @description Nucleus sampling, 0 to 1. */
      top_p?: number | null;
      /** @description One text, or up to four, at which the answer stops. */
      stop?: string | string[] | null;
      /** @description Asks for repeatable sampling where the vendor offers it. */
      seed?: number | null;
      /** @description -2 to 2; higher makes new subjects likelier. */
      presence_penalty?: number | null;
      /** @description -2 to 2; higher makes repetitions less likely. */
      frequency_penalty?: number | null;
      /** @description Likelihoods to change, by token number of the model's own tokenizer. */
      logit_bias?: {
        [key: string]: unknown;
      } | null;
      /** @description A mark of the end user, for the vendor's abuse checks. */
      user?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The answer in one piece, and each event of a stream. */
    Completion: {
      /** @description The id of the answer. */
      id: string;
      /** @constant */
      object: 'text_completion';
      /** @description Unix time in seconds. */
      created: number;
      /** @description The model that answered. */
      model: string;
      /** @description The vendor's mark of the model's configuration. */
      system_fingerprint?: string | null;
      /** @description The answers, `n` for each prompt. Empty in the last chunk of a stream that has the usage. */
      choices: ({
        /** @description Its place among the answers, from 0. */
        index: number;
        /** @description The answer, or the next piece of it. */
        text: string;
        /** @description Why it ended, `stop`, `length` or `content_filter`. */
        finish_reason?: string | null;
        /** @description The tokens of the text, where they were asked for. */
        logprobs?:
          | ({
              tokens?: string[] | null;
              token_logprobs?: (number | null)[] | null;
              top_logprobs?:
                | ({
                    [key: string]: number;
                  } | null)[]
                | null;
              text_offset?: number[] | null;
            } & {
              [key: string]: unknown;
            })
          | null;
      } & {
        [key: string]: unknown;
      })[];
      usage?: components['schemas']['ChatUsage'] | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A message, a tool call, an answer to one, or earlier output. */
    ResponseInputItem: {
      /** @description Absent for a plain message. */
      type?: string | null;
      /** @description `user`, `assistant`, `system` or `developer`, of messages. */
      role?: string | null;
      /** @description The text, or parts. */
      content?:
        | string
        | {
            [key: string]: unknown;
          }[]
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A request in OpenAI's responses form. Fields that are not listed here pass through to a vendor that speaks this dialect. If the gateway keeps responses, `store`, `previous_response_id`, `conversation` and `background` are its own and work with every chat model. If it keeps none, state at a vendor works with that vendor only and is a 400 for any other model. `background: true` is then a 400 too. */
    ResponseRequest: {
      /** @description The model code. */
      model: string;
      /**
       * @description The text of the user, or a list of items. A message item is `{role, content}`, its content a text or parts: `{type: input_text, text}`,
       *     `{type: input_image, image_url}`, `{type: input_file, file_data, filename}`. Send earlier output back unchanged: `message`, `reasoning`, `function_call`, and the
       *     answers to calls as `{type: function_call_output, call_id, output}`. You can omit it if `instructions` has everything.
       */
      input?: string | components['schemas']['ResponseInputItem'][] | null;
      /** @description What the model should keep in mind; a system message. */
      instructions?: string | null;
      /** @description True for server-sent events; each is a `ResponseStreamEvent`. */
      stream?: boolean | null;
      /** @description The most tokens the answer may take, reasoning included. */
      max_output_tokens?: number | null;
      /** @description 0 to 2; higher is more varied. Reasoning models of several vendors refuse it. */
      temperature?: number | null;
      /** @description Nucleus sampling, 0 to 1. */
      top_p?: number | null;
      /**
       * @description Tools the model may use: functions `{type: function, name, description, parameters, strict}` and hosted ones such as `{type: web_search}`.
       *     `{type: mcp, server_label}` names an MCP server. The gateway calls the servers of the operator's list, for every model, by the name in `server_label` or the address in `server_url`. `allowed_tools` and `require_approval` (default `always`) are OpenAI's. Other servers, and servers with `authorization`, `headers` or a `connector_id`, go to the vendor unchanged. A name that the gateway translates for another format has at most 4,096 characters.
       */
      tools?:
        | ({
            /** @description Such as `function`, `custom` or `web_search`. */
            type: string;
          } & {
            [key: string]: unknown;
          })[]
        | null;
      /** @description `auto`, `none`, `required`, or the one function to call: `{type: function, name}`. */
      tool_choice?:
        | string
        | {
            [key: string]: unknown;
          }
        | null;
      /** @description False for at most one tool call per answer. */
      parallel_tool_calls?: boolean | null;
      /** @description The form of the text. Structured output is `{format: {type: json_schema, name, schema, strict}}`; `verbosity` is `low`, `medium` or `high`. */
      text?: {
        [key: string]: unknown;
      } | null;
      /** @description How hard to think, `{effort, summary}`; efforts as for chat completions. */
      reasoning?: {
        [key: string]: unknown;
      } | null;
      /** @description Extra output, such as `reasoning.encrypted_content`. */
      include?: string[] | null;
      /**
       * @description False: nobody keeps the response. Otherwise the gateway does, where it keeps responses, and its vendor does not; the answer's `store` says whether it was kept. Where the gateway keeps none, this
       *     is for the vendor.
       */
      store?: boolean | null;
      /**
       * @description The response that this one goes on from, by whatever model; what was said in it and before it is put before the input. Its instructions and tools are not taken over. The same response may be
       *     gone on from several times. An id of a vendor's goes to that vendor.
       */
      previous_response_id?: string | null;
      /** @description The conversation whose items are put before the input, and which input and output are added to, by its id. Excludes `previous_response_id`. */
      conversation?:
        | string
        | ({
            id: string;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description With true, the answer is `queued` at once and runs in the background. `GET /v1/responses/{response_id}` reads or follows it. The gateway reserves the highest cost and charges the usage. It calls a model once. If the gateway stops during the answer, the response is `failed` and costs nothing. */
      background?: boolean | null;
      /** @description `disabled` (without it) or `auto`. */
      truncation?: string | null;
      /** @description Up to 16 pairs of text, for the caller's own use. */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description A stable label of the end user. */
      user?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A `message`, a `reasoning` item, a `function_call` (`call_id`, `name`, `arguments` as JSON text), or the trace of a hosted tool such as `web_search_call`. */
    ResponseOutputItem: {
      type: string;
      id?: string | null;
      /** @description `in_progress`, `completed` or `incomplete`. */
      status?: string | null;
      /** @description `assistant`, of messages. */
      role?: string;
      /** @description Parts of a message. */
      content?:
        | ({
            /** @description `output_text` or `refusal`. */
            type: string;
            text?: string;
            /** @description Citations. */
            annotations?: {
              [key: string]: unknown;
            }[];
          } & {
            [key: string]: unknown;
          })[]
        | null;
      /** @description Repeat it in the `function_call_output` that answers the call. */
      call_id?: string | null;
      /** @description The function to call. */
      name?: string;
      /** @description Its arguments, as JSON text. */
      arguments?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Tokens used, under both sets of names: those of the chat form and, for OpenAI's SDK, `input_tokens` and `output_tokens`. Both say the same. */
    ResponseUsage: {
      /** @description Tokens of the input. */
      prompt_tokens: number;
      /** @description Tokens of the output. */
      completion_tokens: number;
      /** @description The sum of both. */
      total_tokens: number;
      /** @description The same as `prompt_tokens`. */
      input_tokens: number;
      /** @description The same as `completion_tokens`. */
      output_tokens: number;
      /** @description Parts of `prompt_tokens`. */
      prompt_tokens_details?:
        | ({
            cached_tokens?: number | null;
            text_tokens?: number | null;
            audio_tokens?: number | null;
            image_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description Parts of `completion_tokens`. */
      completion_tokens_details?:
        | ({
            text_tokens?: number | null;
            audio_tokens?: number | null;
            reasoning_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description Parts of `input_tokens`, in the SDK's form. */
      input_tokens_details?:
        | ({
            cached_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description Parts of `output_tokens`, in the SDK's form. */
      output_tokens_details?:
        | ({
            reasoning_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The answer. */
    ResponseReply: {
      /** @description The id of the response. */
      id: string;
      /** @constant */
      object: 'response';
      /** @description Unix time in seconds. */
      created_at: number;
      /** @description Unix time in seconds at which it was complete. */
      completed_at?: number | null;
      /** @description `completed`, `failed`, `in_progress`, `cancelled`, `queued` or `incomplete`. */
      status?: string;
      /** @description Why it failed. */
      error?:
        | ({
            code?: string | null;
            message?: string;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description That of the request, or 0. */
      frequency_penalty?: number;
      /** @description Why it is incomplete: `{reason: max_output_tokens}` or `{reason: content_filter}`. */
      incomplete_details?: {
        [key: string]: unknown;
      } | null;
      /** @description Those of the request. */
      instructions?:
        | string
        | {
            [key: string]: unknown;
          }[]
        | null;
      max_output_tokens?: number | null;
      /** @description The model that answered. */
      model: string;
      /** @description What the model produced, in order. */
      output: components['schemas']['ResponseOutputItem'][];
      parallel_tool_calls?: boolean;
      /** @description That of the request, or 0. */
      presence_penalty?: number;
      previous_response_id?: string | null;
      reasoning?:
        | ({
            effort?: string | null;
            summary?: string | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      store?: boolean;
      temperature?: number | null;
      top_p?: number | null;
      text?:
        | ({
            format?: {
              /** @description Such as `text`. */
              type: string;
            } & {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          })
        | null;
      tool_choice?:
        | string
        | {
            [key: string]: unknown;
          };
      /** @description Those of the request. A function has `description`, `parameters` and `strict`, null where the request did not say. */
      tools?: {
        [key: string]: unknown;
      }[];
      truncation?: string | null;
      usage?: components['schemas']['ResponseUsage'] | null;
      user?: string | null;
      metadata?: {
        [key: string]: unknown;
      } | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The response as a whole. */
    ResponseLifecycleEvent: {
      /** @enum {string} */
      type:
        | 'response.created'
        | 'response.queued'
        | 'response.in_progress'
        | 'response.completed'
        | 'response.incomplete'
        | 'response.failed';
      sequence_number: number;
      /** @description A `Response`. In a stream of a vendor's own, whose bytes pass through, `usage` has the SDK's names only. */
      response: {
        id: string;
        /** @constant */
        object: 'response';
        status?: string;
        model?: string;
        output: components['schemas']['ResponseOutputItem'][];
        usage?: {
          [key: string]: unknown;
        } | null;
        error?: {
          [key: string]: unknown;
        } | null;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description An output item begins or is complete. */
    ResponseItemEvent: {
      /** @enum {string} */
      type: 'response.output_item.added' | 'response.output_item.done';
      sequence_number: number;
      output_index: number;
      item: components['schemas']['ResponseOutputItem'];
    } & {
      [key: string]: unknown;
    };
    /** @description A part of a message or of reasoning begins or is complete. */
    ResponsePartEvent: {
      /** @enum {string} */
      type: 'response.content_part.added' | 'response.content_part.done';
      sequence_number: number;
      item_id: string;
      output_index: number;
      content_index: number;
      part: {
        type: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description Text, refusal or raw reasoning; `delta` is a piece to append, the `done` events carry the whole. */
    ResponseTextEvent: {
      /** @enum {string} */
      type:
        | 'response.output_text.delta'
        | 'response.output_text.done'
        | 'response.refusal.delta'
        | 'response.refusal.done'
        | 'response.reasoning_text.delta'
        | 'response.reasoning_text.done';
      sequence_number: number;
      item_id: string;
      output_index: number;
      content_index: number;
      delta?: string;
      text?: string;
      refusal?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description A citation of a text. */
    ResponseAnnotationEvent: {
      /** @constant */
      type: 'response.output_text.annotation.added';
      sequence_number: number;
      item_id: string;
      output_index: number;
      content_index: number;
      annotation_index?: number;
      annotation: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description A part of a reasoning summary begins or is complete. */
    ResponseSummaryPartEvent: {
      /** @enum {string} */
      type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
      sequence_number: number;
      item_id: string;
      output_index: number;
      summary_index: number;
      part: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description A reasoning summary; `delta` is a piece to append, `done` carries the whole. */
    ResponseSummaryTextEvent: {
      /** @enum {string} */
      type: 'response.reasoning_summary_text.delta' | 'response.reasoning_summary_text.done';
      sequence_number: number;
      item_id: string;
      output_index: number;
      summary_index: number;
      delta?: string;
      text?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The arguments of a call; `delta` is a piece to append, `done` carries the whole. */
    ResponseArgumentsEvent: {
      /** @enum {string} */
      type:
        | 'response.function_call_arguments.delta'
        | 'response.function_call_arguments.done'
        | 'response.custom_tool_call_input.delta'
        | 'response.custom_tool_call_input.done';
      sequence_number: number;
      item_id: string;
      output_index: number;
      delta?: string;
      arguments?: string;
      input?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description How far a hosted tool has come. */
    ResponseToolProgressEvent: {
      /** @enum {string} */
      type:
        | 'response.web_search_call.in_progress'
        | 'response.web_search_call.searching'
        | 'response.web_search_call.completed'
        | 'response.file_search_call.in_progress'
        | 'response.file_search_call.searching'
        | 'response.file_search_call.completed'
        | 'response.code_interpreter_call.in_progress'
        | 'response.code_interpreter_call.interpreting'
        | 'response.code_interpreter_call.completed'
        | 'response.code_interpreter_call_code.delta'
        | 'response.code_interpreter_call_code.done'
        | 'response.image_generation_call.in_progress'
        | 'response.image_generation_call.generating'
        | 'response.image_generation_call.partial_image'
        | 'response.image_generation_call.completed'
        | 'response.mcp_call.in_progress'
        | 'response.mcp_call.completed'
        | 'response.mcp_call.failed'
        | 'response.mcp_call_arguments.delta'
        | 'response.mcp_call_arguments.done'
        | 'response.mcp_list_tools.in_progress'
        | 'response.mcp_list_tools.completed'
        | 'response.mcp_list_tools.failed';
      sequence_number: number;
      item_id: string;
      output_index: number;
    } & {
      [key: string]: unknown;
    };
    /** @description The stream failed before or between lifecycle events. */
    ResponseErrorEvent: {
      /** @constant */
      type: 'error';
      sequence_number?: number;
      code?: string | null;
      message: string;
      param?: string | null;
    } & {
      [key: string]: unknown;
    };
    /**
     * @description One event of a stream; the SSE event name repeats `type`, and `sequence_number` rises by one. Exactly one of `response.completed`, `response.incomplete` and
     *     `response.failed` ends a stream.
     */
    ResponseStreamEvent:
      | components['schemas']['ResponseLifecycleEvent']
      | components['schemas']['ResponseItemEvent']
      | components['schemas']['ResponsePartEvent']
      | components['schemas']['ResponseTextEvent']
      | components['schemas']['ResponseAnnotationEvent']
      | components['schemas']['ResponseSummaryPartEvent']
      | components['schemas']['ResponseSummaryTextEvent']
      | components['schemas']['ResponseArgumentsEvent']
      | components['schemas']['ResponseToolProgressEvent']
      | components['schemas']['ResponseErrorEvent'];
    /** @description A conversation that is to be made short. Fields that are not listed here pass through to a vendor that compacts by itself. */
    ResponseCompactRequest: {
      /** @description The model code. */
      model: string;
      /** @description As in `ResponseRequest`. */
      input?: string | components['schemas']['ResponseInputItem'][] | null;
      /** @description What the model is told in the conversation itself; they are not part of the result. */
      instructions?: string | null;
      /** @description The kept response whose conversation is made short, before `input`. */
      previous_response_id?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A conversation that was made short. */
    ResponseCompaction: {
      /** @description Names this result; it cannot be gone on from. */
      id: string;
      /** @constant */
      object: 'response.compaction';
      /** @description Unix time in seconds. */
      created_at: number;
      /** @description The `input` of the next request. Send it as it is. */
      output: ({
        /** @description `message` or `compaction`. */
        type: string;
        /** @description The id of the item. */
        id?: string | null;
        /** @description Of a compaction, what stands for the rest of the conversation. */
        encrypted_content?: string;
      } & {
        [key: string]: unknown;
      })[];
      /** @description What the model read and wrote for it. */
      usage: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The part of a `ResponseRequest` that its input tokens depend on, such as `input`, `instructions`, `tools`, `previous_response_id` and `conversation`. */
    ResponseCountRequest: {
      /** @description The model code. */
      model: string;
      /** @description As in `ResponseRequest`. */
      input?: string | components['schemas']['ResponseInputItem'][] | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The number of input tokens. */
    ResponseCountReply: {
      /** @constant */
      object: 'response.input_tokens';
      /** @description How many tokens the input has. */
      input_tokens: number;
    };
    /** @description A response that is gone. */
    ResponseDeleted: {
      id: string;
      /** @constant */
      object: 'response';
      /** @constant */
      deleted: true;
    };
    /** @description An item as it was given or answered, with an id. */
    ResponseKeptItem: {
      id: string;
      type: string;
    } & {
      [key: string]: unknown;
    };
    /** @description One page of items. */
    ResponseItemList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ResponseKeptItem'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    /** @description What a conversation begins with. */
    ConversationCreate: {
      /** @description Up to 20 items, as in the `input` of a response. */
      items?: components['schemas']['ResponseInputItem'][] | null;
      /** @description Up to 16 pairs of text, for the caller's own use. */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    /** @description A conversation. */
    Conversation: {
      id: string;
      /** @constant */
      object: 'conversation';
      /** @description Unix time in seconds. */
      created_at: number;
      metadata: {
        [key: string]: string;
      };
    };
    /** @description What is changed. */
    ConversationUpdate: {
      /** @description Up to 16 pairs of text, in place of those that were there. */
      metadata: {
        [key: string]: unknown;
      } | null;
    };
    /** @description A conversation that is gone. */
    ConversationDeleted: {
      id: string;
      /** @constant */
      object: 'conversation.deleted';
      /** @constant */
      deleted: true;
    };
    /** @description What is added. */
    ConversationItems: {
      /** @description 1 to 20 items, as in the `input` of a response. */
      items: components['schemas']['ResponseInputItem'][];
    };
    /** @description One message of a conversation. */
    MessageParam: {
      /** @description Who speaks, `user`, `assistant` or `system`. */
      role: string;
      /**
       * @description A text, or blocks: `text`, `image` (`source` with base64, url or file), `document`, `tool_use`, `tool_result`, `thinking`, `redacted_thinking` and others. The results of
       *     a turn's calls stand first in the next user message.
       */
      content?:
        | string
        | ({
            type: string;
          } & {
            [key: string]: unknown;
          })[];
    } & {
      [key: string]: unknown;
    };
    /** @description A request in Anthropic's messages form. Fields that are not listed here pass through to a vendor that speaks this dialect. */
    MessageRequest: {
      /** @description The model code. */
      model: string;
      /** @description The conversation, oldest message first. Empty where `system` is all that is said. */
      messages: components['schemas']['MessageParam'][];
      /** @description The most tokens the answer may take, thinking included. Anthropic's own models require it; for others the model's own limit is used without it. */
      max_tokens?: number;
      /** @description What the model should keep in mind, a text or text blocks. */
      system?:
        | string
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description True for server-sent events; each is a `MessageStreamEvent`. */
      stream?: boolean | null;
      /** @description Texts at which the answer stops. */
      stop_sequences?: string[] | null;
      /** @description 0 to 1. Newer models and the API version 2026-10-21 refuse it. */
      temperature?: number | null;
      /** @description Nucleus sampling, with the same limits as `temperature`. */
      top_p?: number | null;
      /** @description Sampling from the k likeliest tokens, with the same limits as `temperature`. */
      top_k?: number | null;
      /** @description Tools the model may use, `{name, description, input_schema}`, and the vendor's own such as `{type: web_search_20250305, name: web_search}`. `{type: mcp_toolset, mcp_server_name}` says which tools of a server in `mcp_servers` are offered. A name that is translated for another format's model has at most 4,096 characters. */
      tools?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description A list of MCP servers, each `{type: url, name, url}`. The gateway calls the servers of the operator's list, for every model. Name one by `name` without a `url`, by its address, or by `/mcp/{name}` of the gateway. Other servers, and servers with an `authorization_token`, go to the vendor unchanged. */
      mcp_servers?: unknown;
      /** @description `{type: auto}`, `{type: any}`, `{type: tool, name}` or `{type: none}`; `disable_parallel_tool_use` for one call at a time. */
      tool_choice?: {
        [key: string]: unknown;
      } | null;
      /** @description `{type: enabled, budget_tokens}`, `{type: adaptive}` or `{type: disabled}`, as the model allows. */
      thinking?: {
        [key: string]: unknown;
      } | null;
      /** @description Effort and structured output: `{effort, format: {type: json_schema, schema}}`. */
      output_config?: {
        [key: string]: unknown;
      } | null;
      /** @description Asks for prompt caching of the whole request; blocks may carry their own. */
      cache_control?: {
        [key: string]: unknown;
      } | null;
      /** @description `{user_id}`, a label of the end user. */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description `auto` or `standard_only`. */
      service_tier?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A block of the answer: `text`, `thinking` (with its `signature`), `redacted_thinking`, `tool_use` (`id`, `name`, `input`), or the trace of the vendor's own tool. */
    MessageBlock: {
      type: string;
      /** @description The text, of `text` blocks. */
      text?: string;
      /** @description The thoughts, of `thinking` blocks; may be empty. */
      thinking?: string;
      /** @description Send it back unchanged with the block. */
      signature?: string | null;
      /** @description The call, of `tool_use` blocks; repeat it as `tool_use_id`. */
      id?: string;
      /** @description The tool to use. */
      name?: string;
      /** @description Its arguments, an object of nearly all tools. */
      input?: unknown;
    } & {
      [key: string]: unknown;
    };
    /** @description Tokens used, in Anthropic's form. `input_tokens` does not contain what was read from or written to the cache. */
    MessageUsage: {
      /** @description Tokens of the input, without those of the cache. */
      input_tokens: number;
      /** @description Tokens of the output, thinking included. */
      output_tokens: number;
      /** @description Tokens written to the cache. */
      cache_creation_input_tokens?: number | null;
      /** @description Tokens read from the cache. */
      cache_read_input_tokens?: number | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The answer. */
    Message: {
      /** @description The id of the message. */
      id: string;
      /** @constant */
      type: 'message';
      /** @constant */
      role: 'assistant';
      /** @description Blocks, in order. */
      content: components['schemas']['MessageBlock'][];
      /** @description The model that answered. */
      model: string;
      /** @description `end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn`, `refusal` or `model_context_window_exceeded`. */
      stop_reason: string | null;
      /** @description The text at which it stopped. */
      stop_sequence?: string | null;
      usage: components['schemas']['MessageUsage'];
    } & {
      [key: string]: unknown;
    };
    /** @description The message begins; its content is still empty. */
    MessageStartEvent: {
      /** @constant */
      type: 'message_start';
      message: components['schemas']['Message'];
    } & {
      [key: string]: unknown;
    };
    /** @description A block begins. */
    MessageBlockStartEvent: {
      /** @constant */
      type: 'content_block_start';
      index: number;
      content_block: components['schemas']['MessageBlock'];
    } & {
      [key: string]: unknown;
    };
    /** @description A piece of the open block. */
    MessageBlockDeltaEvent: {
      /** @constant */
      type: 'content_block_delta';
      index: number;
      /** @description `text_delta`, `input_json_delta`, `thinking_delta`, `signature_delta` or `citations_delta`. */
      delta: {
        type: string;
        text?: string;
        partial_json?: string;
        thinking?: string;
        signature?: string | null;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The block is complete. */
    MessageBlockStopEvent: {
      /** @constant */
      type: 'content_block_stop';
      index: number;
    } & {
      [key: string]: unknown;
    };
    /** @description Why the message ends, and its usage so far, cumulative. */
    MessageDeltaEvent: {
      /** @constant */
      type: 'message_delta';
      delta: {
        stop_reason?: string | null;
        stop_sequence?: string | null;
      } & {
        [key: string]: unknown;
      };
      usage: {
        output_tokens: number;
        input_tokens?: number | null;
        cache_creation_input_tokens?: number | null;
        cache_read_input_tokens?: number | null;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description `message_stop` is the end; `ping` only keeps the connection open. */
    MessageSignalEvent: {
      /** @enum {string} */
      type: 'message_stop' | 'ping';
    } & {
      [key: string]: unknown;
    };
    /** @description The stream failed; nothing follows. */
    MessageErrorEvent: {
      /** @constant */
      type: 'error';
      error: {
        type: string;
        message: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description One event of a stream; the SSE event name repeats `type`. Blocks come one after the other with rising `index`; `message_stop` ends the stream. */
    MessageStreamEvent:
      | components['schemas']['MessageStartEvent']
      | components['schemas']['MessageBlockStartEvent']
      | components['schemas']['MessageBlockDeltaEvent']
      | components['schemas']['MessageBlockStopEvent']
      | components['schemas']['MessageDeltaEvent']
      | components['schemas']['MessageSignalEvent']
      | components['schemas']['MessageErrorEvent'];
    /** @description The error body of Anthropic's API, which `@anthropic-ai/sdk` turns into its typed errors. */
    AnthropicError: {
      /** @constant */
      type: 'error';
      error: {
        /**
         * @description Anthropic's class of the error.
         * @enum {string}
         */
        type:
          | 'invalid_request_error'
          | 'authentication_error'
          | 'billing_error'
          | 'permission_error'
          | 'not_found_error'
          | 'conflict_error'
          | 'request_too_large'
          | 'rate_limit_error'
          | 'api_error'
          | 'timeout_error'
          | 'overloaded_error';
        /** @description What was wrong, where, and what would be right. */
        message: string;
        /** @description More, for programs; `error_code` is the vendor's own code where it has one, or `insufficient_quota` or `model_not_found`. */
        details?: {
          error_code?: string;
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
      /** @description The same id as in the `x-request-id` header. */
      request_id: string;
    };
    /** @description The same body as for a message, without `max_tokens` and `stream`. */
    CountTokensRequest: {
      /** @description The model code. */
      model: string;
      /** @description The conversation. */
      messages: components['schemas']['MessageParam'][];
      /** @description As for a message. */
      system?:
        | string
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description As for a message. */
      tools?:
        | {
            [key: string]: unknown;
          }[]
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The number of input tokens. An estimate, and marked as one in `x-gateway-estimated`, when the model's vendor cannot count. */
    CountTokensReply: {
      /** @description Tokens the conversation would take. */
      input_tokens: number;
    } & {
      [key: string]: unknown;
    };
    /** @description A batch in OpenAI's form. */
    Batch: {
      /** @description Begins with `batch_gw_`. */
      id: string;
      /** @constant */
      object: 'batch';
      endpoint: string;
      /** @description What is wrong with the input file. */
      errors: {
        /** @constant */
        object: 'list';
        data: {
          code: string;
          message: string;
          /** @description Counted from 1. */
          line: number | null;
          param: string | null;
        }[];
      } | null;
      input_file_id: string;
      completion_window: string;
      /** @enum {string} */
      status:
        | 'validating'
        | 'failed'
        | 'in_progress'
        | 'finalizing'
        | 'completed'
        | 'expired'
        | 'cancelling'
        | 'cancelled';
      /** @description What was answered, a line for each request. */
      output_file_id: string | null;
      /** @description What was refused, cancelled or has expired, a line for each request. */
      error_file_id: string | null;
      created_at: number;
      in_progress_at: number | null;
      expires_at: number;
      finalizing_at: number | null;
      completed_at: number | null;
      failed_at: number | null;
      expired_at: number | null;
      cancelling_at: number | null;
      cancelled_at: number | null;
      request_counts: {
        total: number;
        completed: number;
        failed: number;
      };
      /** @description Tokens of all lines that were charged. */
      usage?: {
        input_tokens: number;
        input_tokens_details: {
          cached_tokens?: number;
        };
        output_tokens: number;
        output_tokens_details: {
          reasoning_tokens?: number;
        };
        total_tokens: number;
      };
      metadata: {
        [key: string]: unknown;
      } | null;
    };
    BatchList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Batch'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    /** @description A batch in Google's form, an operation that ends. */
    ContentBatchOperation: {
      /** @description `batches/` and an id that begins with `batch_gw_`. */
      name: string;
      /** @description True when it has ended; absent before. */
      done?: boolean;
      /** @description The batch. */
      metadata: {
        name: string;
        model: string;
        displayName?: string;
        /** @enum {string} */
        state:
          | 'BATCH_STATE_PENDING'
          | 'BATCH_STATE_RUNNING'
          | 'BATCH_STATE_SUCCEEDED'
          | 'BATCH_STATE_FAILED'
          | 'BATCH_STATE_CANCELLED'
          | 'BATCH_STATE_EXPIRED';
        /** Format: date-time */
        createTime: string;
        /** Format: date-time */
        updateTime?: string;
        /** Format: date-time */
        endTime?: string;
        /** @description How many requests there are, by their state; numbers as text. */
        batchStats?: {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
      /** @description The answers, once it has ended. */
      response?: {
        [key: string]: unknown;
      };
    };
    ContentBatchList: {
      operations?: components['schemas']['ContentBatchOperation'][];
      nextPageToken?: string;
    };
    CreateBatch: {
      /** @description A file of the purpose `batch` that was uploaded with `POST /v1/files`. */
      input_file_id: string;
      /**
       * @description The path that each line is sent to.
       * @enum {string}
       */
      endpoint:
        | '/v1/chat/completions'
        | '/v1/completions'
        | '/v1/responses'
        | '/v1/embeddings'
        | '/v1/moderations'
        | '/v1/images/generations';
      /** @enum {string} */
      completion_window: '24h';
      /** @description Up to 16 texts of your own. */
      metadata?: {
        [key: string]: string;
      } | null;
      /** @description When the result files expire. */
      output_expires_after?:
        | ({
            anchor?: string;
            seconds?: number;
          } & {
            [key: string]: unknown;
          })
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description An object without members. */
    EmptyBody: {
      [key: string]: unknown;
    };
    /** @description The error body of Google's APIs, which `@google/genai` turns into its `ApiError`. */
    GoogleError: {
      error: {
        /** @description The HTTP status, repeated. */
        code: number;
        /** @description What was wrong, where, and what would be right. */
        message: string;
        /**
         * @description Google's canonical name.
         * @enum {string}
         */
        status:
          | 'INVALID_ARGUMENT'
          | 'FAILED_PRECONDITION'
          | 'UNAUTHENTICATED'
          | 'PERMISSION_DENIED'
          | 'NOT_FOUND'
          | 'ALREADY_EXISTS'
          | 'ABORTED'
          | 'RESOURCE_EXHAUSTED'
          | 'CANCELLED'
          | 'INTERNAL'
          | 'UNIMPLEMENTED'
          | 'UNAVAILABLE'
          | 'DEADLINE_EXCEEDED';
        /** @description Google's typed details, such as a `google.rpc.RetryInfo` when waiting helps. */
        details?: ({
          '@type'?: string;
          reason?: string;
          domain?: string;
          retryDelay?: string;
          metadata?: {
            [key: string]: string;
          };
        } & {
          [key: string]: unknown;
        })[];
      } & {
        [key: string]: unknown;
      };
    };
    /** @description A batch in Anthropic's form. */
    MessageBatch: {
      /** @description Begins with `batch_gw_`. */
      id: string;
      /** @constant */
      type: 'message_batch';
      /** @enum {string} */
      processing_status: 'in_progress' | 'canceling' | 'ended';
      /** @description How many requests are in which state; their sum stays the same. */
      request_counts: {
        processing: number;
        succeeded: number;
        errored: number;
        canceled: number;
        expired: number;
      };
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description Requests that have not begun by then expire.
       */
      expires_at: string;
      /** Format: date-time */
      ended_at: string | null;
      /** Format: date-time */
      cancel_initiated_at: string | null;
      /** @description Batches are not archived here. */
      archived_at: null;
      /** @description Where the results are, once it has ended. */
      results_url: string | null;
    };
    MessageBatchList: {
      data: components['schemas']['MessageBatch'][];
      has_more: boolean;
      first_id: string | null;
      last_id: string | null;
    };
    /** @description The requests of a batch. */
    CreateMessageBatch: {
      /** @description Each is answered by itself. */
      requests: ({
        /** @description How its result is told from the others; 1 to 64 letters, digits, `-` and `_`. */
        custom_id: string;
        /** @description The body of `POST /v1/messages`. */
        params: {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      })[];
    } & {
      [key: string]: unknown;
    };
    MessageBatchDeleted: {
      id: string;
      /** @constant */
      type: 'message_batch_deleted';
    };
    /** @description One line. */
    MessageBatchResult: {
      custom_id: string;
      /** @description With `type` `succeeded` and a `message`, `errored` and an `error`, `canceled`, or `expired`. */
      result: {
        /** @enum {string} */
        type: 'succeeded' | 'errored' | 'canceled' | 'expired';
      } & {
        [key: string]: unknown;
      };
    };
    CreateContentBatch: {
      batch: {
        /** @description A name for people. */
        displayName?: string;
        /** @description Taken and not used; batches of one owner run oldest first. */
        priority?: number | string;
        /** @description The requests, inline in `requests.requests`. */
        inputConfig: {
          requests?: {
            requests?: ({
              /** @description The body of `generateContent`, or of `embedContent`. */
              request: {
                [key: string]: unknown;
              };
              /** @description Given back with its answer. */
              metadata?: {
                [key: string]: unknown;
              };
            } & {
              [key: string]: unknown;
            })[];
          } & {
            [key: string]: unknown;
          };
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description A content that is kept, without the content itself. */
    CachedContent: {
      /** @description What `cachedContent` of a request names. */
      name: string;
      model: string;
      displayName?: string;
      createTime?: string;
      updateTime?: string;
      expireTime: string;
      usageMetadata?: {
        totalTokenCount?: number;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    CachedContentList: {
      cachedContents?: components['schemas']['CachedContent'][];
      nextPageToken?: string;
    };
    /** @description A content to keep, in Google's form. Members that are not listed go to the vendor. */
    CachedContentCreate: {
      /** @description The model code, alone or behind `models/`. */
      model: string;
      /** @description Turns that requests begin with. */
      contents?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      systemInstruction?: {
        [key: string]: unknown;
      } | null;
      tools?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description A name for people. */
      displayName?: string | null;
      /** @description How long to keep it, such as `3600s`; an hour where neither it nor `expireTime` is given. */
      ttl?: string | null;
      /** @description Until when to keep it. */
      expireTime?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A file in Google's form. */
    GeminiFile: {
      /** @description `files/gw…` */
      name: string;
      displayName: string;
      mimeType: string;
      sizeBytes: string;
      /** Format: date-time */
      createTime: string;
      /** Format: date-time */
      updateTime: string;
      /**
       * Format: date-time
       * @description When it is deleted; absent where it is kept until you delete it.
       */
      expirationTime?: string;
      /** @description SHA-256 of the bytes, hexadecimal, as base64. */
      sha256Hash: string;
      /** @description For `fileData.fileUri`. */
      uri: string;
      downloadUri?: string;
      /** @constant */
      state: 'ACTIVE';
      /** @constant */
      source: 'UPLOADED';
    };
    /** @description The file, when its last byte has come; nothing before. */
    GeminiUploaded: {
      file?: components['schemas']['GeminiFile'];
    };
    CachedContentUpdate: {
      /** @description How long to keep it from now on, such as `3600s`. */
      ttl?: string | null;
      /** @description Until when to keep it. */
      expireTime?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Embedded data. */
    GeminiBlob: {
      /** @description Such as `image/png`. */
      mimeType?: string;
      /** @description Base64. */
      data?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Exactly one kind of content: a text, embedded data, a file, a function call or its answer; beside it `thought` and `thoughtSignature`, which go back unchanged. */
    GeminiPart: {
      text?: string;
      inlineData?: components['schemas']['GeminiBlob'];
      /** @description `{mimeType, fileUri}`. */
      fileData?: {
        [key: string]: unknown;
      };
      /** @description `{id, name, args}`. */
      functionCall?: {
        [key: string]: unknown;
      };
      /** @description `{id, name, response}`. */
      functionResponse?: {
        [key: string]: unknown;
      };
      /** @description True when this part shows thoughts. */
      thought?: boolean;
      /** @description Opaque; send it back with the part. */
      thoughtSignature?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description One turn. */
    GeminiContent: {
      /** @description `user` or `model`. */
      role?: string;
      /** @description Parts, in order. */
      parts?: components['schemas']['GeminiPart'][];
    } & {
      [key: string]: unknown;
    };
    /** @description How the answer is made. */
    GeminiGenerationConfig: {
      /** @description What the answer may contain, `TEXT`, `IMAGE` or both. */
      responseModalities?: string[] | null;
      /** @description Of models that draw. */
      imageConfig?:
        | ({
            /** @description Such as `16:9`. */
            aspectRatio?: string | null;
            /** @description A size class such as `1K`, `2K` or `4K`. */
            imageSize?: string | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description How the model thinks. */
      thinkingConfig?:
        | ({
            /** @description True to see the thoughts as parts with `thought` set. */
            includeThoughts?: boolean | null;
            /** @description Tokens; 0 is off, -1 leaves it to the model. */
            thinkingBudget?: number | null;
            /** @description `MINIMAL`, `LOW`, `MEDIUM` or `HIGH`; not together with a budget. */
            thinkingLevel?: string | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description The most tokens the answer may take, thoughts included. */
      maxOutputTokens?: number | null;
      /** @description Above 0 to 2; higher is more varied. */
      temperature?: number | null;
      /** @description Nucleus sampling, 0 to 1. */
      topP?: number | null;
      /** @description Sampling from the k likeliest tokens. */
      topK?: number | null;
      /** @description How many answers. */
      candidateCount?: number | null;
      /** @description Texts at which the answer stops. */
      stopSequences?: string[] | null;
      /** @description Asks for repeatable sampling. */
      seed?: number | null;
      /** @description `application/json` for structured output. */
      responseMimeType?: string | null;
      /** @description The JSON Schema the answer follows, an object or a boolean. */
      responseJsonSchema?: unknown;
      /** @description The same in Google's OpenAPI subset. */
      responseSchema?: {
        [key: string]: unknown;
      } | null;
    } & {
      [key: string]: unknown;
    };
    /**
     * @description A request in Google's generateContent form; the model stands in the path. Names are camelCase; the snake_case ones of Google's JSON mapping (`inline_data`,
     *     `mime_type`, `google_search`) are taken as well. Fields that are not listed here pass through to a vendor that speaks this dialect.
     */
    GenerateContentRequest: {
      /** @description The conversation, oldest turn first; one turn may stand alone, and `systemInstruction` may be all that is said. To edit a picture, send a text part and an image part in the same turn. */
      contents?: components['schemas']['GeminiContent'][] | Record<string, never> | null;
      /** @description What the model should keep in mind. */
      systemInstruction?:
        | {
            [key: string]: unknown;
          }
        | string
        | null;
      /**
       * @description A list, or one object. Tools the model may use: `{functionDeclarations: [{name, description, parametersJsonSchema}]}`, and the vendor's own, each an object keyed by its name with an empty
       *     object as value, such as `{googleSearch: {}}`. A name that is translated for another format's model has at most 4,096 characters.
       */
      tools?:
        | {
            [key: string]: unknown;
          }[]
        | Record<string, never>
        | null;
      /** @description `{functionCallingConfig: {mode: AUTO | ANY | NONE, allowedFunctionNames}}`. */
      toolConfig?: {
        [key: string]: unknown;
      } | null;
      generationConfig?: components['schemas']['GeminiGenerationConfig'] | null;
      /** @description Thresholds of the vendor's filters, `{category, threshold}`. */
      safetySettings?:
        | {
            [key: string]: unknown;
          }[]
        | null;
      /** @description The vendor's name of a cached prefix. */
      cachedContent?: string | null;
      /** @description Goes on with an answer that stopped with `CONTINUATION`. */
      continuationToken?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Tokens used, in Google's form. In a stream it is a running total; the last one counts. */
    GeminiUsage: {
      /** @description Tokens of the input, cached ones included. */
      promptTokenCount?: number;
      /** @description Tokens of the output, without thoughts. */
      candidatesTokenCount?: number;
      /** @description Tokens spent on thoughts. */
      thoughtsTokenCount?: number;
      /** @description Tokens read from the cache. */
      cachedContentTokenCount?: number;
      /** @description Tokens that the vendor's own tools put into the prompt. */
      toolUsePromptTokenCount?: number;
      /** @description The sum. */
      totalTokenCount?: number;
    } & {
      [key: string]: unknown;
    };
    /** @description The answer, or one piece of it in a stream, whose parts are to be appended. Without candidates the prompt was blocked; `promptFeedback` says why. */
    GenerateContentReply: {
      /** @description The answers. */
      candidates?: ({
        index?: number;
        content?: components['schemas']['GeminiContent'];
        /** @description Such as `STOP`, `MAX_TOKENS`, `SAFETY`, `PROHIBITED_CONTENT`, `IMAGE_SAFETY`, `NO_IMAGE` or `CONTINUATION`. Calls end with `STOP`. */
        finishReason?: string;
        finishMessage?: string;
        safetyRatings?:
          | {
              [key: string]: unknown;
            }[]
          | null;
        /** @description Sources of a search. */
        groundingMetadata?: {
          [key: string]: unknown;
        };
        continuationToken?: string;
      } & {
        [key: string]: unknown;
      })[];
      /** @description `{blockReason, safetyRatings}`. */
      promptFeedback?: {
        [key: string]: unknown;
      };
      usageMetadata?: components['schemas']['GeminiUsage'];
      /** @description The model that answered. */
      modelVersion?: string;
      /** @description The id of the answer. */
      responseId?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Contents to count, alone or as a whole request. */
    CountContentTokensRequest: {
      /** @description As for generateContent. */
      contents?: components['schemas']['GeminiContent'][] | null;
      /** @description A whole request, to count its instructions and tools too. */
      generateContentRequest?: {
        [key: string]: unknown;
      } | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The number of input tokens. An estimate, and marked as one in `x-gateway-estimated`, when the model's vendor cannot count. */
    CountContentTokensReply: {
      /** @description Tokens the contents would take. */
      totalTokens: number;
      /** @description Those of them that come from the cache. */
      cachedContentTokenCount?: number;
    } & {
      [key: string]: unknown;
    };
    /**
     * prompt (image models 1 and 3)
     * @description A prompt, in OpenAI's form.
     */
    ImagePromptBody: {
      /** @description The model code. */
      model: string;
      /**
       * @description True answers at once with a task, and draws in the background. Read it with `GET /v1/video/generations/{task_id}`, as a video task: `result_url` is the address of the
       *     first picture, and `data` the result that you get without `async`. It does not go with `stream` or `b64_json`, and cannot be cancelled.
       */
      async?: boolean;
      /**
       * Format: uri
       * @description With `async`, where the webhook of the task goes.
       */
      callback_url?: string;
      /** @description What should be seen. */
      prompt: string;
      /** @description Pictures to start from or to edit, as web addresses or `data:` URLs, on models that take them; up to 14. */
      image?: string | string[];
      /** @description How many pictures, 1 to 10, on models that take it; without it 1. */
      n?: number | null;
      /** @description A size class such as `2k` or `4K`, or `<width>x<height>` such as `1024x1024`, or `auto`; the model's `limits` say which. Without it the model decides. */
      size?: string | null;
      /**
       * @description `url` for an address, `b64_json` for the picture itself. Both work with every model: the gateway keeps the bytes and serves them under an address that expires, or fetches
       *     the address.
       * @enum {string|null}
       */
      response_format?: 'url' | 'b64_json' | null;
      /** @description True for a visible mark. */
      watermark?: boolean | null;
      /** @description For repeatable results, on models that take it. */
      seed?: number | null;
      /** @description `low`, `medium`, `high` or `auto`, on GPT Image models. */
      quality?: string | null;
      /** @description `transparent`, `opaque` or `auto`, on GPT Image models. */
      background?: string | null;
      /** @description `png`, `jpeg` or `webp`, on models that let one choose. */
      output_format?: string | null;
      /** @description 0 to 100, for jpeg and webp. */
      output_compression?: number | null;
      /** @description `auto` for a group of related pictures, `disabled` (without it) for one, on Seedream models. */
      sequential_image_generation?: string;
      /** @description `{max_images}`, 1 to 15. */
      sequential_image_generation_options?: {
        [key: string]: unknown;
      };
      /** @description True for server-sent events with partial pictures, on models that have them. */
      stream?: boolean | null;
      /** @description How many partial pictures a stream should show, 0 to 3. */
      partial_images?: number | null;
      /** @description A label of the end user. */
      user?: string | null;
    } & {
      [key: string]: unknown;
    };
    /**
     * messages (image model 2)
     * @description One user message, in DashScope's form.
     */
    ImageMessagesBody: {
      /** @description The model code. */
      model: string;
      /** @description As in the shape `prompt`. */
      async?: boolean;
      /**
       * Format: uri
       * @description As in the shape `prompt`.
       */
      callback_url?: string;
      /** @description What should be seen. */
      input: {
        /** @description Exactly one user message. */
        messages: ({
          /** @description `user`. */
          role: string;
          /** @description Objects with `text`; on models that edit, also objects with `image`, a web address or a `data:` URL. */
          content: ({
            text?: string;
            image?: string;
          } & {
            [key: string]: unknown;
          })[];
        } & {
          [key: string]: unknown;
        })[];
      } & {
        [key: string]: unknown;
      };
      /** @description How it is made. */
      parameters?: {
        /** @description True to let the vendor enrich the prompt. */
        prompt_extend?: boolean;
        /** @description What should not be seen. */
        negative_prompt?: string;
        /** @description `<width>*<height>`, such as `1024*1024`. Without it the model decides. */
        size?: string;
        /** @description How many pictures, on models that take it. */
        n?: number;
        /** @description True for a visible mark. */
        watermark?: boolean;
        /** @description For repeatable results. */
        seed?: number;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description One of two shapes; which one belongs to a model is its `formats` in `GET /v1/models`. Fields that are not listed pass through to the vendor. */
    ImageRequest: components['schemas']['ImagePromptBody'] | components['schemas']['ImageMessagesBody'];
    /** @description Tokens and pictures of an image request; which fields are there depends on the model. */
    ImageUsage: {
      /** @description Pictures made (image model 1). */
      generated_images?: number;
      total_tokens?: number;
      input_tokens?: number;
      output_tokens?: number;
      /** @description What tools such as a web search used; null without (image model 1). */
      tool_usage?: {
        [key: string]: unknown;
      } | null;
      input_tokens_details?:
        | ({
            text_tokens?: number | null;
            image_tokens?: number | null;
            cached_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      output_tokens_details?:
        | ({
            reasoning_tokens?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Pictures as a list (image models 1 and 3). */
    ImageDataResult: {
      /** @description The model that drew (image model 1). */
      model?: string;
      /** @description Unix seconds. */
      created: number;
      /** @description The pictures, in order. One that failed in a group is an entry with `error`. */
      data: ({
        /** @description Where the picture is; the address expires, usually after 24 hours. */
        url?: string;
        /** @description The picture itself, base64. */
        b64_json?: string;
        /** @description `<width>x<height>` (image model 1). */
        size?: string;
        /** @description The prompt as the vendor rewrote it. */
        revised_prompt?: string;
        /** @description Why this one failed. */
        error?: {
          [key: string]: unknown;
        } | null;
      } & {
        [key: string]: unknown;
      })[];
      usage?: components['schemas']['ImageUsage'];
      /** @description Null on success (image model 1). */
      error?: {
        [key: string]: unknown;
      } | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Pictures as messages (image model 2). */
    ImageOutputResult: {
      output: ({
        /** @constant */
        type: 'message';
        content: ({
          /** @constant */
          type: 'image';
          /** @description Where the picture is; the address expires after 24 hours. */
          text: string;
        } & {
          [key: string]: unknown;
        })[];
      } & {
        [key: string]: unknown;
      })[];
      usage?: components['schemas']['ImageUsage'];
      /** @description The vendor's id of the request. */
      request_id: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The result, in the form that belongs to the model. */
    ImageResult: components['schemas']['ImageDataResult'] | components['schemas']['ImageOutputResult'];
    /** @description The receipt of a picture that is drawn in the background. Read its progress with `GET /v1/video/generations/{task_id}`. */
    ImageTaskAcknowledgement: {
      /** @description The task identifier; it starts with `task_`. */
      id: string;
      /** @description The same as `id`. */
      task_id: string;
      /** @constant */
      object: 'image';
      /** @description The model code of the request. */
      model: string;
      /** @constant */
      status: 'queued';
      /** @constant */
      progress: 0;
      /** @description Unix time in seconds. */
      created_at: number;
    };
    /**
     * @description One event of a stream; the SSE event name repeats `type`. Models in OpenAI's form send `image_generation.partial_image` (or `image_edit.partial_image`) and end with
     *     `image_generation.completed` (`image_edit.completed`), which carries the picture and the usage. Seedream sends `image_generation.partial_succeeded` or `…partial_failed` per picture, then
     *     `image_generation.completed` with the usage, then the line `data: [DONE]`.
     */
    ImageStreamEvent: {
      /** @enum {string} */
      type:
        | 'image_generation.partial_image'
        | 'image_generation.partial_succeeded'
        | 'image_generation.partial_failed'
        | 'image_generation.completed'
        | 'image_edit.partial_image'
        | 'image_edit.completed'
        | 'error';
      b64_json?: string;
      url?: string;
      size?: string;
      partial_image_index?: number;
      image_index?: number;
      usage?: components['schemas']['ImageUsage'];
    } & {
      [key: string]: unknown;
    };
    /** @description A picture by its address. */
    ImageReference:
      | ({
          /** @description A web address or a `data:` URL. */
          image_url?: string | null;
          /** @description Instead, the id of a file that OpenAI keeps, on OpenAI's models. */
          file_id?: string | null;
        } & {
          [key: string]: unknown;
        })
      | null;
    /** @description An edit as JSON, for pictures that have an address. Members that are not listed are those of the form, and go to the vendor as they are. */
    ImageEditBody: {
      /** @description The model code. */
      model: string;
      /** @description The instruction. */
      prompt: string;
      /** @description The source pictures, at most 16. */
      images: components['schemas']['ImageReference'][];
      mask?: components['schemas']['ImageReference'];
      /** @description How many pictures, 1 to 10; without it 1. */
      n?: number | null;
      /** @description `<width>x<height>` or `auto`. */
      size?: string | null;
      /**
       * @description `url` or `b64_json`; both work with every model.
       * @enum {string|null}
       */
      response_format?: 'url' | 'b64_json' | null;
      /** @description True for server-sent events with partial pictures, on models that have them. */
      stream?: boolean | null;
      /** @description How many partial pictures a stream should show, 0 to 3. */
      partial_images?: number | null;
    } & {
      [key: string]: unknown;
    };
    /** @description The form of an edit. Numbers are sent as text. A file is recognised by its bytes, not by its name: png, jpeg or webp under 50 MB each. */
    ImageEditForm:
      | ({
          /** @description The model code. */
          model: string;
          /**
           * Format: binary
           * @description The source picture; repeated for several, at most 16.
           */
          image?: Blob;
          /** @description The same under the name that some SDKs use, once or several times. */
          'image[]'?: Blob[];
          /**
           * Format: binary
           * @description A png of the size of the first picture; where it is transparent, the picture is changed. Refused for models that have no mask.
           */
          mask?: Blob;
          /** @description The instruction. */
          prompt: string;
          /** @description How many pictures, 1 to 10; without it 1. */
          n?: string;
          /** @description `<width>x<height>` or `auto`. */
          size?: string;
          /**
           * @description `url` or `b64_json`; both work with every model.
           * @enum {string}
           */
          response_format?: 'url' | 'b64_json';
          /** @description `low`, `medium`, `high` or `auto`. */
          quality?: string;
          /** @description `transparent`, `opaque` or `auto`. */
          background?: string;
          /** @description `png`, `jpeg` or `webp`. */
          output_format?: string;
          /** @description 0 to 100, for jpeg and webp. */
          output_compression?: string;
          /** @description `high` or `low`, on models that have it. */
          input_fidelity?: string;
          /**
           * @description `true` for server-sent events with partial pictures, on models that have them.
           * @enum {string}
           */
          stream?: 'true' | 'false';
          /** @description How many partial pictures a stream should show, 0 to 3. */
          partial_images?: string;
          /** @description A label of the end user. */
          user?: string;
        } & {
          [key: string]: unknown;
        })
      | unknown
      | unknown;
    /** @description The form of a variation. Numbers are sent as text. The file is recognised by its bytes, not by its name: png, jpeg or webp under 50 MB. */
    ImageVariationForm: {
      /** @description The model code. */
      model: string;
      /**
       * Format: binary
       * @description The picture to vary.
       */
      image: Blob;
      /** @description How many pictures, 1 to 10; without it 1. */
      n?: string;
      /** @description `<width>x<height>` or `auto`. */
      size?: string;
      /**
       * @description `url` or `b64_json`; both work with every model.
       * @enum {string}
       */
      response_format?: 'url' | 'b64_json';
      /** @description A mark of the end user, for the vendor's abuse checks. */
      user?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description A text and a voice. Answered by every speech model of the catalogue. */
    SpeechRequest: {
      /** @description The model code. */
      model: string;
      /** @description The text to speak. Style tags inside it are passed on byte for byte. */
      input: string;
      /** @description A preset voice, as listed in `voices` by `GET /v1/models`, another that the vendor knows, or `{id}`. */
      voice?: string | null | components['schemas']['VoiceReference'];
      /** @description How to speak, in natural language. */
      instructions?: string | null;
      /** @description `mp3`, `opus`, `aac`, `flac`, `wav` or `pcm` (24 kHz, 16 bit, little-endian, mono). If the model cannot make the format, you get a 400 with the list of its formats. The default is `mp3` if the model makes it, and `wav` otherwise. */
      response_format?: string | null;
      /** @description 0.25 to 4; without it 1. Named in `x-gateway-dropped` when the model has no such setting. */
      speed?: number | null;
      /** @description `audio` (without it) for the bytes as they are made, `sse` for server-sent events: the vendor's own where it makes some, with its usage. */
      stream_format?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A piece of the speech. */
    SpeechDeltaEvent: {
      /** @constant */
      type: 'speech.audio.delta';
      /** @description A piece, base64. */
      audio: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Tokens of the text and of the speech. */
    SpeechUsage: {
      input_tokens: number;
      output_tokens: number;
      total_tokens: number;
    } & {
      [key: string]: unknown;
    };
    /** @description The end of the speech. */
    SpeechDoneEvent: {
      /** @constant */
      type: 'speech.audio.done';
      usage: components['schemas']['SpeechUsage'];
    } & {
      [key: string]: unknown;
    };
    /** @description One event of a speech stream; the pieces of `audio` are base64 and to be joined after decoding. */
    SpeechStreamEvent: components['schemas']['SpeechDeltaEvent'] | components['schemas']['SpeechDoneEvent'];
    /** @description What is to be heard. Answered by every music model of the catalogue. */
    MusicRequest: {
      /** @description The model code. */
      model: string;
      /** @description The music or the sound, in natural language. */
      prompt: string;
      /** @description What is sung. Named in `x-gateway-dropped` when the model sings nothing. */
      lyrics?: string | null;
      /** @description The length. The model's `limits` have `min_seconds`, `max_seconds`, and `usual_seconds`, which is the length without this field. The length is what you pay. */
      seconds?: number | null;
      /** @description Whether nobody may sing. Named in `x-gateway-dropped` when the model has no such setting. */
      instrumental?: boolean | null;
      /** @description `mp3`, `opus`, `wav` or `pcm`. If the model cannot make the format, you get a 400 with the list of its formats. The default is the first of `limits.formats`. */
      response_format?: string | null;
      /** @description The same seed makes similar music. Named in `x-gateway-dropped` when the model has no such setting. */
      seed?: number | null;
    } & {
      [key: string]: unknown;
    };
    /**
     * @description A recording and what is wanted of it. Numbers are sent as text. The file is recognised by its bytes, not by its name or declared type: flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm.
     *     Other fields go to the vendor unchanged, also repeated ones.
     */
    TranscriptionForm: {
      /**
       * Format: binary
       * @description The recording. How large and how long it may be is in the model's `limits` (`max_bytes`, `max_seconds`); it must hold at least 0.1 seconds of sound.
       */
      file: Blob;
      /** @description The model code. */
      model: string;
      /** @description The language that is spoken, by its ISO 639 code, such as `en`. Without it the model finds out. */
      language?: string;
      /** @description Text that comes before, or words and a style to follow; in the language of the recording. */
      prompt?: string;
      /**
       * @description `json` (without it), `text`, `srt`, `vtt`, `verbose_json`, or `diarized_json`, which names speakers. `text` is made from `json`, and `srt` and `vtt` from the times of segments, by the gateway where
       *     the vendor does not write them. A format that the model has nothing for is refused with 400 and the list of those that it has (`limits.formats`).
       * @enum {string}
       */
      response_format?: 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json' | 'diarized_json';
      /** @description 0 to 1. */
      temperature?: string;
      /** @description `word`, `segment`, or both, with `verbose_json`. */
      'timestamp_granularities[]'?: string[];
      /** @description `logprobs`: how sure the model is of each token, with `json`, on models that have it (`limits.include`). */
      'include[]'?: 'logprobs'[];
      /**
       * @description `true` for server-sent events, with `json`, `text` or `diarized_json`. A model without a stream answers with one event for all of the text.
       * @enum {string}
       */
      stream?: 'true' | 'false';
    } & {
      [key: string]: unknown;
    };
    /** @description A stretch of the recording. Times are seconds from its beginning. */
    TranscriptSegment: {
      start: number;
      end: number;
      text: string;
      /** @description With `diarized_json`. */
      speaker?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description A word and when it is said, in seconds. */
    TranscriptWord: {
      word: string;
      start: number;
      end: number;
    } & {
      [key: string]: unknown;
    };
    /** @description What the vendor counted, by `type`, `duration` or `tokens`. */
    TranscriptUsage: {
      type?: string;
      seconds?: number;
      input_tokens?: number;
      output_tokens?: number;
      total_tokens?: number;
    } & {
      [key: string]: unknown;
    };
    /** @description What is said, as the vendor tells it: with `verbose_json` its `language`, `duration`, `segments` and `words`, with `diarized_json` segments that name a `speaker`. */
    Transcript: {
      /** @description The text. Empty when nothing is said. */
      text: string;
      language?: string;
      /** @description Seconds, by the vendor. */
      duration?: number;
      segments?: components['schemas']['TranscriptSegment'][];
      words?: components['schemas']['TranscriptWord'][];
      usage?: components['schemas']['TranscriptUsage'];
    } & {
      [key: string]: unknown;
    };
    /** @description A piece of the text. */
    TranscriptDeltaEvent: {
      /** @constant */
      type: 'transcript.text.delta';
      delta: string;
    } & {
      [key: string]: unknown;
    };
    /** @description A stretch of the recording whose speaker is known, with `diarized_json`. */
    TranscriptSegmentEvent: {
      /** @constant */
      type: 'transcript.text.segment';
      start: number;
      end: number;
      text: string;
      speaker?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The end, with the whole text. */
    TranscriptDoneEvent: {
      /** @constant */
      type: 'transcript.text.done';
      text: string;
      usage?: components['schemas']['TranscriptUsage'];
    } & {
      [key: string]: unknown;
    };
    /** @description One event of a transcript that comes piece by piece. */
    TranscriptStreamEvent:
      | components['schemas']['TranscriptDeltaEvent']
      | components['schemas']['TranscriptSegmentEvent']
      | components['schemas']['TranscriptDoneEvent'];
    /** @description A recording in any language, to be written down in English. The file is as for a transcription. */
    TranslationForm: {
      /**
       * Format: binary
       * @description The recording, as for a transcription.
       */
      file: Blob;
      /** @description A model that translates (`limits.translates`). */
      model: string;
      /** @description Text that comes before, or words and a style to follow, in English. */
      prompt?: string;
      /**
       * @description `json` (without it), `text`, `srt`, `vtt` or `verbose_json`.
       * @enum {string}
       */
      response_format?: 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json';
      /** @description 0 to 1. */
      temperature?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Texts and the model that turns them into vectors. Answered by every embedding model of the catalogue. */
    EmbeddingRequest: {
      /** @description The model code. */
      model: string;
      /**
       * @description A text, a list of texts, the token ids of one text, or a list of such lists; at most 2048 texts. Token ids are those of OpenAI's tokenizer: models of other vendors
       *     refuse them with 400. Objects are texts and pictures, `{text}`, `{image}` or `{content: [{type: text, text}, {type: image_url, image_url}]}`, for models that read pictures; others go to servers on
       *     OpenAI's wire as they are.
       */
      input:
        | string
        | (
            | string
            | number
            | number[]
            | {
                [key: string]: unknown;
              }
          )[];
      /** @description How long the vectors are to be; without it as long as the model makes them. What a model cannot make is refused with 400 and what it can. */
      dimensions?: number | null;
      /** @description The same, as Voyage and Mistral call it. */
      output_dimension?: number | null;
      /**
       * @description `float` (without it) for numbers, `base64` for their bytes: 32-bit floats, little-endian, or 8-bit whole numbers of the other types. Words that the gateway does not know go to servers on OpenAI's
       *     wire, and what they answer to them comes back as it is.
       */
      encoding_format?: string | null;
      /** @description What the numbers are, as Voyage and Mistral say it, `float` (without it), `int8`, `uint8`, `binary` or `ubinary`; the last two pack eight numbers in one. What a model cannot make is refused with 400. */
      output_dtype?: string | null;
      /** @description The same, as Jina says it; `base64` is floats as bytes. */
      embedding_type?: (string | null) | string[];
      /** @description The purpose of the vectors: `query` or `document` (Voyage), `search_query`, `search_document`, `classification` or `clustering` (Cohere). The gateway translates the value for other vendors. If a vendor has no such setting, `x-gateway-dropped` names it. */
      input_type?: string | null;
      /** @description The same, as Jina says it, `retrieval.query`, `retrieval.passage`, `text-matching`, `classification` or `separation`. */
      task?: string | null;
      /** @description Whether texts that are too long are cut, or refused by the vendor; named in `x-gateway-dropped` where the vendor cannot be told. */
      truncation?: boolean | null;
      /** @description `dense` (without it), `sparse` or `dense&sparse`, of models that make sparse vectors, such as `text-embedding-v4`; they are in `sparse_embedding`. Refused with 400 elsewhere. */
      output_type?: string | null;
      /** @description Whether the texts are read as pieces of one, as Jina's models can; refused with 400 elsewhere. */
      late_chunking?: boolean | null;
      /** @description Your name for the end user, for vendors who take one; named in `x-gateway-dropped` elsewhere. */
      user?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description One vector. */
    Embedding: {
      /** @constant */
      object: 'embedding';
      /** @description The place of its text in `input`. */
      index: number;
      /** @description Numbers, or base64 where that was asked for. */
      embedding: number[] | string;
      /** @description The sparse vector, where `output_type` asks for it; `embedding` is empty where it asks for no other. */
      sparse_embedding?: ({
        index?: number;
        value?: number;
        token?: string;
      } & {
        [key: string]: unknown;
      })[];
    } & {
      [key: string]: unknown;
    };
    /** @description The tokens of the texts, as the vendor reports them. If it does not, they are an estimate, and the answer has `x-gateway-estimated`. */
    EmbeddingUsage: {
      prompt_tokens: number;
      total_tokens: number;
    } & {
      [key: string]: unknown;
    };
    /** @description The vectors, in OpenAI's form. */
    EmbeddingReply: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Embedding'][];
      /** @description The model code. */
      model: string;
      usage: components['schemas']['EmbeddingUsage'];
    } & {
      [key: string]: unknown;
    };
    /** @description One input. */
    EmbedInput: {
      /** @description Pieces: `{type: text, text}` and `{type: image_url, image_url: {url}}`. */
      content: {
        [key: string]: unknown;
      }[];
    } & {
      [key: string]: unknown;
    };
    /** @description Texts, pictures, or inputs of both, one of the three, and the model that turns them into vectors. Answered by every embedding model of the catalogue. */
    EmbedRequest: {
      /** @description The model code. */
      model: string;
      /** @description At most 2048. */
      texts?: string[] | null;
      /** @description Pictures as data: URLs, for models that read pictures; refused with 400 elsewhere. */
      images?: string[] | null;
      /** @description Texts and pictures together, a vector for each input. */
      inputs?: components['schemas']['EmbedInput'][] | null;
      /** @description The purpose of the vectors: `search_query`, `search_document`, `classification`, `clustering`, or `image` for `images`. The gateway translates the value for other vendors. If a vendor has no such setting, `x-gateway-dropped` names it. */
      input_type?: string | null;
      /** @description What the numbers are to be; floats without it. What a model cannot make is refused with 400. */
      embedding_types?: ('float' | 'int8' | 'uint8' | 'binary' | 'ubinary' | 'base64')[] | null;
      /** @description How long the vectors are to be. */
      output_dimension?: number | null;
      /** @description Where inputs are cut, for vendors who have such a setting; named in `x-gateway-dropped` elsewhere. */
      max_tokens?: number | null;
      /** @description What becomes of inputs that are too long, `NONE` (refused), `START` or `END` (cut there); named in `x-gateway-dropped` where the vendor cannot be told. */
      truncate?: string | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Vectors, in the order of the inputs. */
    VectorsOfNumbers: number[][];
    /** @description Vectors by the type of their numbers. */
    EmbeddingsByType: {
      float?: components['schemas']['VectorsOfNumbers'];
      int8?: components['schemas']['VectorsOfNumbers'];
      uint8?: components['schemas']['VectorsOfNumbers'];
      binary?: components['schemas']['VectorsOfNumbers'];
      ubinary?: components['schemas']['VectorsOfNumbers'];
      base64?: string[];
    };
    /** @description The vectors, in Cohere's form. */
    EmbedReply: {
      id: string;
      /** @description A list for each type that was asked for, or, where none was at the path of the first version, one list. */
      embeddings: components['schemas']['EmbeddingsByType'] | number[][];
      texts?: string[];
      /** @description What was billed. */
      meta: {
        billed_units?: {
          input_tokens?: number;
          image_tokens?: number;
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
      /** @description `embeddings_by_type` or `embeddings_floats`. */
      response_type: string;
    } & {
      [key: string]: unknown;
    };
    /** @description Parts. Those that are no texts go to Google's models as they are; other vendors' refuse them with 400. */
    EmbedContent: {
      role?: string;
      parts: {
        [key: string]: unknown;
      }[];
    } & {
      [key: string]: unknown;
    };
    /** @description One content to be turned into a vector. Names may be written in snake case, too. */
    EmbedContentRequest: {
      /** @description The model of the path again: `models/` and its code. */
      model?: string;
      content: components['schemas']['EmbedContent'];
      /** @description What the vector is for, such as `RETRIEVAL_QUERY`, `RETRIEVAL_DOCUMENT` or `SEMANTIC_SIMILARITY`. Named in `x-gateway-dropped` where the vendor has no such setting. */
      taskType?: string | null;
      /** @description The title of the text, for `RETRIEVAL_DOCUMENT`. Named in `x-gateway-dropped` where the vendor has no such setting. */
      title?: string | null;
      /** @description How long the vector is to be. */
      outputDimensionality?: number | null;
    } & {
      [key: string]: unknown;
    };
    /** @description One vector. */
    ContentEmbedding: {
      values: number[];
    } & {
      [key: string]: unknown;
    };
    /** @description The tokens of the texts; an estimate where the vendor reports none. */
    EmbedUsageMetadata: {
      promptTokenCount?: number;
    } & {
      [key: string]: unknown;
    };
    /** @description The vector, in Google's form. */
    EmbedContentReply: {
      embedding: components['schemas']['ContentEmbedding'];
      usageMetadata?: components['schemas']['EmbedUsageMetadata'];
    } & {
      [key: string]: unknown;
    };
    /** @description Contents to be turned into vectors, at most 2048. */
    BatchEmbedContentsRequest: {
      requests: components['schemas']['EmbedContentRequest'][];
    } & {
      [key: string]: unknown;
    };
    /** @description The vectors, in Google's form. */
    BatchEmbedContentsReply: {
      embeddings: components['schemas']['ContentEmbedding'][];
      usageMetadata?: components['schemas']['EmbedUsageMetadata'];
    } & {
      [key: string]: unknown;
    };
    /** @description Pictures in the form of Google's `predict`. */
    PredictImagesRequest: {
      /** @description One prompt. */
      instances: ({
        /** @description What the picture should show. */
        prompt: string;
      } & {
        [key: string]: unknown;
      })[];
      /** @description How the pictures should be. Members that are not listed go to the vendor where it knows them. */
      parameters?:
        | ({
            /** @description How many, 1 to 10; 1 when absent. */
            sampleCount?: number | null;
            /**
             * @description Becomes the nearest size that the model makes.
             * @example 16:9
             */
            aspectRatio?: string | null;
            /** @description `1K`, `2K` or `4K`. */
            sampleImageSize?: string | null;
            negativePrompt?: string | null;
            seed?: number | null;
            addWatermark?: boolean | null;
            enhancePrompt?: boolean | null;
            outputOptions?:
              | ({
                  /** @example image/jpeg */
                  mimeType?: string | null;
                  compressionQuality?: number | null;
                } & {
                  [key: string]: unknown;
                })
              | null;
          } & {
            [key: string]: unknown;
          })
        | null;
    } & {
      [key: string]: unknown;
    };
    PredictedImages: {
      predictions: ({
        bytesBase64Encoded?: string;
        mimeType?: string;
        /** @description What was drawn, where the model put the prompt into other words. */
        prompt?: string;
        raiFilteredReason?: string;
      } & {
        [key: string]: unknown;
      })[];
    };
    /** @description What is to be checked. */
    ModerationRequest: {
      /** @description The model code; `omni-moderation-latest` without it. */
      model?: string | null;
      /**
       * @description A text, a list of texts, or a list of parts: `{type: text, text}` and `{type: image_url, image_url: {url}}`, whose addresses are https or `data:`. At most 2048. Parts of other
       *     types go to the vendor as they are.
       */
      input:
        | string
        | (
            | string
            | {
                [key: string]: unknown;
              }
          )[];
    } & {
      [key: string]: unknown;
    };
    /** @description One result, as the vendor gives it. Servers that are not OpenAI's may leave `flagged` out and tell the categories alone. */
    ModerationResult: {
      /** @description Whether any category is found. */
      flagged: boolean;
      /** @description By category, whether it is found. */
      categories?: {
        [key: string]: unknown;
      };
      /** @description By category, how sure the model is, 0 to 1. */
      category_scores?: {
        [key: string]: unknown;
      };
      /** @description By category, which of `text` and `image` it was looked for in. */
      category_applied_input_types?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The results, in OpenAI's form. */
    ModerationReply: {
      id: string;
      /** @description The model code. */
      model: string;
      results: components['schemas']['ModerationResult'][];
    } & {
      [key: string]: unknown;
    };
    /** @description A query and the documents that are to be sorted. */
    RerankRequest: {
      /** @description The model code. */
      model: string;
      /** @description What is looked for. An object such as `{image}` goes to vendors on this wire as it is. */
      query:
        | string
        | {
            [key: string]: unknown;
          };
      /** @description Texts, or objects with `text`; at most 10,000, or as many as the model takes. Objects without a text, such as `{image}`, go to vendors on this wire as they are. */
      documents: (
        | string
        | {
            [key: string]: unknown;
          }
      )[];
      /** @description How many of the best are wanted; without it all. */
      top_n?: number | null;
      /** @description The same, as Voyage says it; its clients read the results in `data` then. */
      top_k?: number | null;
      /** @description The members of documents by which they are scored, where documents are objects; `text` without it. Several are scored together, each with its name. */
      rank_fields?: string[] | null;
      /** @description Whether the documents come back with their scores, objects whole; without it they do not. */
      return_documents?: boolean | null;
      /** @description Where documents are cut, for vendors who have such a setting; named in `x-gateway-dropped` elsewhere. */
      max_tokens_per_doc?: number | null;
    } & {
      [key: string]: unknown;
    };
    /** @description One document and its score. */
    RerankResult: {
      /** @description Its place in `documents`. */
      index: number;
      /** @description How well it answers the query; the higher the better, usually 0 to 1. Scores of different models or queries cannot be compared. */
      relevance_score: number;
      /** @description The document, where `return_documents` asks for it; a text as `{text}`. */
      document?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The documents, the best first. */
    RerankReply: {
      id: string;
      /** @description The model code. */
      model: string;
      results: components['schemas']['RerankResult'][];
      /** @description The results again, documents as texts, for requests that say `top_k` or `truncation`, as Voyage's clients do. */
      data?: {
        [key: string]: unknown;
      }[];
      /** @description What was billed, as Cohere's clients read it. */
      meta: {
        billed_units: {
          /** @description One for a query and up to 100 documents; of longer documents each piece counts. */
          search_units?: number;
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
      /** @description The tokens of query and documents, as Jina's clients read them; an estimate where the vendor reports none. */
      usage: {
        prompt_tokens?: number;
        total_tokens: number;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description How long a client secret lives, and the session that it opens. */
    RealtimeClientSecretRequest: {
      expires_after?: {
        /**
         * @description From when it is counted.
         * @enum {string}
         */
        anchor?: 'created_at';
        /** @description How long it can open a session; 600 without it. A session that is open goes on. */
        seconds?: number;
      };
      /** @description The session's configuration, as `session.update` takes it. `model` is the model code. */
      session?: {
        /** @enum {string} */
        type: 'realtime' | 'transcription';
        model?: string;
      } & {
        [key: string]: unknown;
      };
    };
    /** @description A client secret. It is shown once. */
    RealtimeClientSecret: {
      /** @description The token: a bearer token, or the sub-protocol `openai-insecure-api-key.ek_…`, of `GET /v1/realtime`. */
      value: string;
      /** @description Unix seconds. */
      expires_at: number;
      /** @description The session that it opens. */
      session: {
        /** @enum {string} */
        type: 'realtime' | 'transcription';
        object: string;
        id: string;
      } & {
        [key: string]: unknown;
      };
    };
    /**
     * @description `NOT_START`: stored, the vendor has not begun. `IN_PROGRESS`: the vendor is working. `SUCCESS`: `result_url` and `finish_time` are filled.
     *     `FAILURE`: `fail_reason` says why, and nothing is charged. The last two never change again.
     * @enum {string}
     */
    VideoTaskStatus: 'NOT_START' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE';
    /** @description A task that waits for room at its vendor account. It can be cancelled for nothing. */
    QueuedPayload: {
      queue: {
        /** @description How many tasks are submitted until this one is, itself included; others of other owners may still come before it. */
        position: number;
        /** @description Unix seconds at which it will probably be submitted; absent where nobody knows how long jobs of this model take. */
        expected_start?: number;
      };
    };
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
      /**
       * @description The vendor's last report, without secrets and embedded media. Null before the first one. Its form differs per family; two are described.
       *     While the task waits for room at a vendor account it is the gateway's own: `queue`.
       */
      data:
        | components['schemas']['QueuedPayload']
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
     * @description The gateway's own code, stable across releases. The task form has it as `code`. The other forms print the code of that API, so that its SDK raises the right error. OpenAI's form has `error.code`, or the vendor's own code or null if OpenAI has none. Anthropic's form has `error.type`. Google's `error.status` follows from the HTTP status.
     *
     *     | Code | Status | OpenAI `code` | Anthropic `type` | What it means, and what helps |
     *     |---|---|---|---|---|
     *     | `invalid_request` | 400 |  | `invalid_request_error` | The body, a parameter or a medium is wrong. The message names the place and what would be right. |
     *     | `model_not_found` | 400 | `model_not_found` | `invalid_request_error` | No such model code, or it cannot be reached through this endpoint. `GET /v1/models` lists what can. |
     *     | `content_refused` | 400 | `content_filter` | `invalid_request_error` | A content filter refused the input. Repeating it will not help. |
     *     | `context_length_exceeded` | 400 | `context_length_exceeded` | `invalid_request_error` | The conversation is longer than the model can read. |
     *     | `run_limit_reached` | 400 | `run_limit_reached` | `invalid_request_error` | The run of this request has used its budget, its requests or its time, or is in a loop. Trying again does not help; the message tells a model to stop and report. |
     *     | `task_not_exist` | 400 | `task_not_exist` |  | No task of this owner has this id. |
     *     | `unauthenticated` | 401 | `invalid_api_key` | `authentication_error` | The key is missing, unknown, expired or revoked. |
     *     | `forbidden` | 403 | `forbidden` | `permission_error` | The key has no right to use this model, this address, or this file link. |
     *     | `insufficient_quota` | 403 (429) | `insufficient_quota` | `permission_error` | The balance or a spend cap is used up. Waiting does not help until money or a new day arrives. |
     *     | `not_found` | 404 | `not_found` | `not_found_error` | No such route, model, video, file or record. |
     *     | `method_not_allowed` | 405 | `method_not_allowed` | `invalid_request_error` | The path exists, the method does not; `Allow` lists those that do. |
     *     | `conflict` | 409 | `conflict` | `conflict_error` | This `Idempotency-Key` was used with another body, or the state of the task forbids it: too late to cancel, for example. |
     *     | `body_too_large` | 413 | `body_too_large` | `request_too_large` | The body is over 64 MB. |
     *     | `unsupported_media_type` | 415 | `unsupported_media_type` | `invalid_request_error` | The `Content-Type` is not one this endpoint reads. |
     *     | `rate_limited` | 429 | `rate_limit_exceeded` | `rate_limit_error` | A limit of this key was reached, or the operator's budget of every account of the model is used up; `retry-after` says when to come back. |
     *     | `internal` | 500 | `internal` | `api_error` | The gateway's own fault. Report the `x-request-id`. |
     *     | `not_implemented` | 501 | `not_implemented` | `api_error` | Described here, but not served by this deployment. |
     *     | `unavailable` | 503 (500) | `unavailable` | `overloaded_error` | The gateway is shutting down, or no account serves this model at the moment. |
     *     | `submission_unknown` | 503 (500) | `submission_unknown` | `api_error` | A vendor was asked and never answered, so the job was not sent again. Nothing is charged. |
     *     | `upstream_rejected_key` | 503 (500) | `upstream_rejected_key` | `api_error` | The operator's credentials were refused. |
     *     | `upstream_rate_limited` | 503 (429) | `upstream_rate_limited` (`rate_limit_exceeded`) | `api_error` | Every vendor account for this model is at its limit, the vendor's own or the operator's of calls at once; see `retry-after`. |
     *     | `upstream_rejected_model` | 503 (500) | `upstream_rejected_model` | `api_error` | The vendor no longer knows the model that the operator's catalogue names. Trying again does not help; the answer has `x-should-retry: false`. |
     *     | `upstream_malformed` | 503 (500) | `upstream_malformed` | `api_error` | A vendor's answer could not be understood, or broke off. |
     *     | `upstream_unavailable` | 503 (500) | `upstream_unavailable` | `overloaded_error` | Every vendor for this model failed or was unreachable. |
     *     | `upstream_timeout` | 503 (500) | `upstream_timeout` | `api_error` | No vendor answered in time. |
     *
     *     Statuses in brackets are those of `/v1/chat/completions` (chat models) and `/v1/videos`, where the OpenAI SDK expects 429 and 500; so is the code in brackets.
     *
     *     A type never contradicts its status, because SDKs choose their class and their retries by the status. `rate_limit_error` and `RESOURCE_EXHAUSTED` only come with 429, `not_found_error` and `NOT_FOUND` only with 404. If the status alone is not enough, Anthropic's form has this code in `error.details.error_code`, and Google's in the `reason` of its `ErrorInfo`.
     * @enum {string}
     */
    ErrorCode:
      | 'invalid_request'
      | 'model_not_found'
      | 'content_refused'
      | 'context_length_exceeded'
      | 'run_limit_reached'
      | 'task_not_exist'
      | 'unauthenticated'
      | 'forbidden'
      | 'insufficient_quota'
      | 'not_found'
      | 'method_not_allowed'
      | 'conflict'
      | 'body_too_large'
      | 'unsupported_media_type'
      | 'rate_limited'
      | 'internal'
      | 'not_implemented'
      | 'unavailable'
      | 'submission_unknown'
      | 'upstream_rejected_key'
      | 'upstream_rate_limited'
      | 'upstream_rejected_model'
      | 'upstream_malformed'
      | 'upstream_unavailable'
      | 'upstream_timeout';
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
      data: Record<string, never> | null;
    };
    /** @description Where a medium is. */
    MediaReference: {
      /** @description A web address, Base64 (as a `data:` URL, or bare), or an `asset://` identifier. */
      url: string;
    } & {
      [key: string]: unknown;
    };
    /** @description One item: a text, an image, a video or an audio. A `url` is a web address, Base64 (as a `data:` URL, or bare) or an `asset://` identifier. */
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
      /** @description For `draft_task`: the vendor's id of a draft, to make the full video. */
      draft_task?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description Where to send a signed webhook when the task ends. It is a public web address of at most 2,048 characters without a user name. The gateway signs it with the `webhook_secret` of the key. A key without a `webhook_secret` gets a 400. See the callback `videoTaskEnded` of `POST /v1/video/generations`, which is the same for every video. The address is never passed on to the vendor. */
    CallbackUrl: string;
    /**
     * content (family A)
     * @description Family A, Seedance: an ordered list of items. Choose one of three modes: **first frame** (1 image), **first and last frame** (2 images), or **multimodal reference**. References are 1 to 9 images, up to 3 videos and up to 3 audios. Text alone is allowed too. In the text, name references by their order: “Image 1”,
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
      /** @description A web address, an `oss://` address of the vendor's storage, or for images a `data:` URL. */
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
        /** @description `auto` (without it) or `origin` to keep the sound of the source; editing only. */
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
      /** @description `512P`, `720P`, `768P` or `1080P`, as the model has it; 1080P takes 6 seconds on Hailuo. `size` takes width and height in its place. */
      resolution?: string;
      /** @description True for a sound track; not on Hailuo. */
      generate_audio?: boolean;
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
      /** @description `720x1280` (without it), `1280x720`, `1024x1792` or `1792x1024`. Models that have classes make the one that it comes to; a size that comes to none is a 400 that names them. */
      size?: string;
      /** @description The class, on models that have classes, in place of a size. */
      resolution?: string;
      /** @description True for a sound track, on models that have a switch for it. A form has it as text. */
      generate_audio?: boolean | string;
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
      /** @description The duration that was asked for, or the model's own, as text. Of family F, and of every answer of `POST /v1/videos`. */
      seconds?: string;
      /** @description Width and height that were asked for; else those that the model usually makes. Of family F, and of every answer of `POST /v1/videos`. */
      size?: string;
    };
    /** @description A task has ended. `data` is the record as `GET /v1/video/generations/{task_id}` shows it. */
    TaskEnded: {
      /**
       * @description How it ended.
       * @enum {string}
       */
      type: 'video.task.succeeded' | 'video.task.failed';
      /**
       * Format: date-time
       * @description When it ended.
       */
      timestamp: string;
      data: components['schemas']['VideoTask'];
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
     * @description One event of a followed task: the record as it is at that moment, in the envelope of the JSON answer. The SSE event name is the status, its `id` a rising
     *     number that a client gives back as `Last-Event-ID` to miss nothing. The first event is the present state; the stream ends after `SUCCESS` or `FAILURE`.
     */
    VideoTaskEvent: {
      /** @constant */
      code: 'success';
      message: string;
      data: components['schemas']['VideoTask'];
    };
    /** @description A task seen as OpenAI's video object. */
    Video: {
      /** @description The task identifier. */
      id: string;
      /** @constant */
      object: 'video';
      /** @description The model code of the request. */
      model: string;
      /**
       * @description `queued` and `in_progress` come first; `completed` and `failed` are final.
       * @enum {string}
       */
      status: 'queued' | 'in_progress' | 'completed' | 'failed';
      /** @description Percent, 0 to 100. */
      progress: number;
      /** @description Unix seconds. */
      created_at: number;
      /** @description Unix seconds at which the video was finished. */
      completed_at?: number | null;
      /** @description Unix seconds until which the content can be had, where that is known. */
      expires_at?: number | null;
      /** @description The prompt of the request. */
      prompt?: string | null;
      /** @description The duration that was asked for, or the model's own, as text. */
      seconds: string;
      /** @description Width and height that were asked for, or those that the model usually makes, such as `1280x720`. */
      size: string;
      /** @description Always null; remixing is not offered. */
      remixed_from_video_id?: string | null;
      /** @description Why it failed; null otherwise. */
      error?: {
        code: string;
        message: string;
      } | null;
      /** @description Where the finished video is. */
      metadata?: {
        /** @description The `result_url` of the task record. */
        url?: string;
      };
    };
    /** @description One page of videos, in OpenAI's list form. */
    VideoList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Video'][];
      /** @description Id of the first video of this page; null when it is empty. */
      first_id: string | null;
      /** @description Give this as `after` to read the next page. */
      last_id: string | null;
      has_more: boolean;
    };
    /** @description OpenAI's shape. Families A and B may be asked in their own shape here too; a body with `content` or `input` is read so. */
    VideoCreate:
      | components['schemas']['VideoSecondsBody']
      | components['schemas']['VideoContentBody']
      | components['schemas']['VideoInputBody'];
    /** @description The same as a form, for a first frame sent as a file. Numbers are sent as text. */
    VideoForm: {
      /** @description The model code. */
      model: string;
      /** @description What should be seen. */
      prompt: string;
      /** @description Duration in seconds. */
      seconds?: string;
      /** @description Width and height, such as `1280x720`. */
      size?: string;
      /**
       * Format: binary
       * @description The first frame as a file; jpeg, png or webp of the asked size.
       */
      input_reference?: Blob;
      callback_url?: components['schemas']['CallbackUrl'];
    } & {
      [key: string]: unknown;
    };
    /** @description What is to be changed in a finished video. */
    VideoEdit: {
      /** @description What is to be seen. */
      prompt: string;
      /** @description A finished video of yours. */
      video: {
        /** @description Its `video_…` or `task_…`. */
        id: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description How a finished video is to go on. */
    VideoExtend: {
      /** @description What is to be seen. */
      prompt: string;
      /** @description How many seconds longer it is to be. */
      seconds: string;
      /** @description A finished video of yours. */
      video: {
        /** @description Its `video_…` or `task_…`. */
        id: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description What a remix of a finished video is to show. */
    VideoRemix: {
      /** @description What is to be seen. */
      prompt: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The receipt of a deletion. */
    VideoDeleted: {
      id: string;
      /** @constant */
      object: 'video.deleted';
      /** @constant */
      deleted: true;
    };
    /** @description A picture or a video: `bytesBase64Encoded` (of videos `encodedVideo`, too) with its `mimeType`, `inlineData`, or in `uri`, `fileUri` or `gcsUri` a web address. */
    GoogleMedium: {
      [key: string]: unknown;
    } | null;
    /** @description A video in the form of Google's `predictLongRunning`. */
    GenerateVideosRequest: {
      /** @description One video. */
      instances: ({
        /** @description What should be seen and heard; needed where there is nothing to start from. */
        prompt?: string | null;
        image?: components['schemas']['GoogleMedium'];
        lastFrame?: components['schemas']['GoogleMedium'];
        video?: components['schemas']['GoogleMedium'];
        /** @description Pictures of what should be in it. */
        referenceImages?:
          | ({
              image?: components['schemas']['GoogleMedium'];
              /** @description `asset`. */
              referenceType?: string | null;
            } & {
              [key: string]: unknown;
            })[]
          | null;
      } & {
        [key: string]: unknown;
      })[];
      /** @description How the video should be. Members that are not listed go to the vendor where it knows them. */
      parameters?:
        | ({
            /** @example 16:9 */
            aspectRatio?: string | null;
            /** @example 720p */
            resolution?: string | null;
            /** @example 8 */
            durationSeconds?: number | string | null;
            negativePrompt?: string | null;
            seed?: number | null;
            generateAudio?: boolean | null;
            /** @description How many videos; more than one where the vendor makes several at once. */
            sampleCount?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
    } & {
      [key: string]: unknown;
    };
    /** @description A video in Google's form, an operation that ends. */
    VideoOperation: {
      name: string;
      /** @description True when it has ended; absent before. */
      done?: boolean;
      /** @description How far it is. */
      metadata?: {
        [key: string]: unknown;
      };
      /** @description The videos, where it ended well. */
      response?: {
        [key: string]: unknown;
      };
      /** @description Why there is no video. */
      error?: {
        /** @description A code of google.rpc. */
        code: number;
        message: string;
      } & {
        [key: string]: unknown;
      };
    };
    FetchVideoOperation: {
      /** @description The `name` of the operation. */
      operationName: string;
    } & {
      [key: string]: unknown;
    };
    /**
     * snake_case
     * @description A subject made from pictures (`image_refer`) or from a video (`video_refer`). Pictures are one frontal picture and 1 to 3 others. A video is an mp4 or mov of 3 to 8 seconds, 1080P, 16:9 or 9:16, at most 200 MB. The vendor clones a human voice in it.
     */
    SubjectBody: {
      /** @description The video model the subject is for. Without it the first model of the catalogue that knows subjects. */
      model?: string;
      /** @description Its name, up to 20 characters. */
      element_name: string;
      /** @description What it is, up to 100 characters. */
      element_description: string;
      /**
       * @description What it is made from.
       * @enum {string}
       */
      reference_type: 'image_refer' | 'video_refer';
      /** @description The pictures, for `image_refer`; also as JSON text. */
      element_image_list?:
        | ({
            /** @description The picture from the front, a web address. */
            frontal_image: string;
            /** @description 1 to 3 other views. */
            refer_images?: ({
              /** @description A web address. */
              image_url: string;
            } & {
              [key: string]: unknown;
            })[];
          } & {
            [key: string]: unknown;
          })
        | string;
      /** @description The video, for `video_refer`; also as JSON text. */
      element_video_list?:
        | ({
            /** @description Exactly one. */
            refer_videos?: ({
              /** @description A web address. */
              video_url: string;
            } & {
              [key: string]: unknown;
            })[];
          } & {
            [key: string]: unknown;
          })
        | string;
      /** @description The vendor's id of a voice, for subjects from a video. */
      element_voice_id?: string;
      /** @description Labels, also as JSON text. `o_101` hot, `o_102` character, `o_103` animal, `o_104` item, `o_105` costume, `o_106` scene, `o_107` effect, `o_108` other. */
      tag_list?:
        | ({
            tag_id: string;
          } & {
            [key: string]: unknown;
          })[]
        | string;
    } & {
      [key: string]: unknown;
    };
    /**
     * vendor spelling
     * @description The same in the vendor's own names; the lists are JSON text.
     */
    SubjectVendorBody: {
      /** @description The video model the subject is for. */
      model?: string;
      /** @description Its name, up to 20 characters. */
      ElementName: string;
      /** @description What it is, up to 100 characters. */
      ElementDescription: string;
      /**
       * @description What it is made from.
       * @enum {string}
       */
      ReferenceType: 'image_refer' | 'video_refer';
      /** @description JSON text of `{"frontal_image", "refer_images": [{"image_url"}]}`. */
      ElementImageList?: string;
      /** @description JSON text of `{"refer_videos": [{"video_url"}]}`. */
      ElementVideoList?: string;
      /** @description The vendor's id of a voice. */
      ElementVoiceId?: string;
      /** @description JSON text of `[{"tag_id"}]`. */
      TagList?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description A subject, in one of two spellings: snake_case with lists, or the vendor's capital letters with lists encoded as JSON text. */
    SubjectCreate: components['schemas']['SubjectBody'] | components['schemas']['SubjectVendorBody'];
    /** @description The receipt of a new subject. */
    SubjectAcknowledgement: {
      Response: {
        /** @description The task identifier, for the query. */
        TaskId: string;
        /** @description Request identifier. */
        RequestId: string;
      };
    };
    /**
     * @description `PROCESSING`, then `FINISH`. `FINISH` alone does not mean success: `ErrCode` tells.
     * @enum {string}
     */
    SubjectStatus: 'PROCESSING' | 'FINISH';
    /** @description The task itself. */
    SubjectTask: {
      /** @description The task identifier. */
      TaskId: string;
      Status: components['schemas']['SubjectStatus'];
      /** @description 0 means success, anything else failure. */
      ErrCode: number;
      /** @description Extended failure code; empty on success. */
      ErrCodeExt: string;
      /** @description Failure message; empty on success. */
      Message: string;
      /** @description Percent, 100 when finished. */
      Progress: number;
      Input: {
        ElementName: string;
        ElementDescription: string;
        /** @description Such as `image_refer`. */
        ReferenceType: string;
      } & {
        [key: string]: unknown;
      };
      /** @description What was made; `InfoList` is empty before the end and after a failure. */
      Output: {
        InfoList: ({
          /** @description The subject identifier. Use it as `subject_infos[].Id` when creating a video. */
          ElementId: string;
          /** @description JSON text with `element_id`, `element_name`, `element_type` and `status`. */
          ElementInfo: string;
        } & {
          [key: string]: unknown;
        })[];
      } & {
        [key: string]: unknown;
      };
      /** @description Session label. */
      SessionId: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The subject task. */
    SubjectReply: {
      Response: {
        /** @constant */
        TaskType: 'CreateAigcAdvancedCustomElement';
        Status: components['schemas']['SubjectStatus'];
        /** @description ISO 8601 UTC. */
        CreateTime: string;
        /** @description ISO 8601 UTC; empty before. */
        BeginProcessTime?: string;
        /** @description ISO 8601 UTC; empty before. */
        FinishTime: string;
        /** @description Request identifier, a UUID. */
        RequestId: string;
        CreateAigcAdvancedCustomElementTask: components['schemas']['SubjectTask'];
      } & {
        [key: string]: unknown;
      };
    };
    /** @description Why a request was refused. */
    McpFault: {
      /** @description The protocol's own codes; `-32000` where the gateway refuses. */
      code: number;
      message: string;
      /** @description Of the gateway's own refusals `{code, request_id}`, with a code of `ErrorCode`. */
      data?: unknown;
    } & {
      [key: string]: unknown;
    };
    /** @description A JSON-RPC message of the Model Context Protocol. */
    McpMessage: {
      /** @enum {string} */
      jsonrpc: '2.0';
      /** @description Of a request, and of its answer. */
      id?: string | number | null;
      /** @description `tools/list`, `tools/call`, `resources/read`, … */
      method?: string;
      params?: {
        [key: string]: unknown;
      };
      result?: {
        [key: string]: unknown;
      };
      error?: components['schemas']['McpFault'];
    } & {
      [key: string]: unknown;
    };
    /** @description What a client that speaks OAuth has to know of an MCP endpoint (RFC 9728). */
    McpResourceMetadata: {
      /** @description The address of the endpoint. */
      resource: string;
      resource_name?: string;
      bearer_methods_supported: string[];
      /** @description Issuers that the operator named. */
      authorization_servers?: string[];
    };
    /**
     * @description What the model makes.
     * @enum {string}
     */
    ModelKind:
      | 'chat'
      | 'image'
      | 'image-edit'
      | 'video'
      | 'speech'
      | 'music'
      | 'transcription'
      | 'embedding'
      | 'moderation'
      | 'rerank'
      | 'realtime';
    /** @description A model code of the catalogue, in OpenAI's form with the gateway's own fields beside it. */
    CatalogueModel: {
      /** @description The model code, to be written into `model`. */
      id: string;
      /** @description With `?aliases=true`: other names that `model` may be written as, such as the vendor's own, dated one. */
      aliases?: string[];
      /** @constant */
      object: 'model';
      /** @description Unix seconds at which the code entered the catalogue. */
      created: number;
      /** @description The vendor, such as `openai` or `ark`. */
      owned_by: string;
      /** @description One sentence about it. */
      description?: string;
      kind: components['schemas']['ModelKind'];
      /**
       * @description The request shapes it takes. Chat: the dialects. Video: one of `content`, `input`, `image-urls`, `omni`, `prompt`, `seconds`. Images: `prompt` or
       *     `messages`. Image editing: `multipart` for edits, `prompt` for generations. Speech: `openai-chat` and `speech`. Music: `music`. Transcription: `multipart`. Embeddings: `embeddings`, `embed-contents` and `embed`. Moderation: `moderations`. Reranking: `rerank`. Realtime: `realtime`.
       */
      formats: (
        | 'openai-chat'
        | 'openai-responses'
        | 'anthropic-messages'
        | 'gemini-generate'
        | 'openai-completions'
        | 'prompt'
        | 'messages'
        | 'multipart'
        | 'speech'
        | 'music'
        | 'content'
        | 'input'
        | 'image-urls'
        | 'omni'
        | 'seconds'
        | 'embeddings'
        | 'embed'
        | 'embed-contents'
        | 'moderations'
        | 'rerank'
        | 'realtime'
      )[];
      /** @description The paths through which it can be reached. */
      endpoints: string[];
      /** @description Preset voices, of speech models. */
      voices?: string[];
      /** @description Of chat models: which of `temperature`, `top_p`, `reasoning_effort`, `tools` and `response_format` (with a JSON schema) the model takes. The others are left out of what is sent to the vendor, and named in `x-gateway-dropped`. */
      supported_parameters?: ('temperature' | 'top_p' | 'reasoning_effort' | 'tools' | 'response_format')[];
      /** @description What is known of its limits, such as `max_input_tokens`, `max_output_tokens`, `inputs`, `durations`, `resolutions`, `ratios` or `max_images`. */
      limits?: {
        [key: string]: unknown;
      };
      /**
       * @description US dollars, for callers in the key's group. Tokens and characters are priced per million: `input`, `cached_input`, `cached_input_audio`, `cached_input_image`, `cache_write`, `cache_write_1h`, `cache_storage` (for an hour), `output`, `reasoning`,
       *     `output_tokens`, `character`; the others per piece: `image`, `second`, `video`, `web_search`, `search_unit`. `POST /v1/estimate` applies what depends on resolution or sound.
       *     `factors` multiply the prices of tokens if a request asks for it (`service_tier`, `speed`, `inference_geo`, `anthropic-beta`). `long_context` applies if the input is longer than `above`, and `batch` in the vendor's own batch.
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
      data: components['schemas']['CatalogueModel'][];
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
      /**
       * @description Models of the catalogue can be asked.
       * @constant
       */
      lifecycle?: 'active';
      /** @description When the vendor deprecated it, as an RFC 3339 time. */
      deprecated_at?: string | null;
      /** @description When the vendor ends it, as an RFC 3339 time. */
      retires_at?: string | null;
      /** @description Not said here. */
      capabilities?: {
        [key: string]: unknown;
      } | null;
      /** @description Not said here. */
      line?: string | null;
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
    /** @description Any request of any paid endpoint, as it would be sent. */
    EstimateRequest: {
      /** @description The path, such as `/v1/chat/completions` or `/v1beta/models/gemini-3.1-pro:generateContent`. */
      endpoint: string;
      /** @description The body. Of a form, its text fields; of a recording `seconds`, a number, says how long it is. An estimate of more than 16 MB is answered with 413. */
      body: {
        [key: string]: unknown;
      };
    };
    /** @description One line of a quote or a bill: `quantity × price ÷ per × factor`, in US dollars. The lines are added, multiplied with the factor of the key's group, and rounded once to whole quota units. */
    PriceLine: {
      /**
       * @description What is paid, by its name in the price book: `input`, `cached_input`, `cached_input_audio`, `cached_input_image`, `cache_write`, `cache_write_1h`, `cache_storage`, `output`, `reasoning`, `output_tokens`, `input_audio`, `output_audio`, `input_image`,
       *     `output_image`, `image`, `second`, `video`, `character`, `web_search`, `search_unit`.
       */
      item: string;
      /** @description How much of it. */
      quantity: number;
      /** @description US dollars for `per` of it. */
      price: number;
      /** @description 1000000 for tokens and characters, 1 for anything else. */
      per: number;
      /** @description What resolution, sound or the like multiplies it with; 1 for nothing. */
      factor: number;
    };
    /**
     * @description What the request may cost at most: exactly what is set aside when it is made. Input is taken at the most tokens its text can have, output at the cap the request sets, or the model's
     *     own. A body that refers outside itself (state, files, addresses, tools of the vendor) is taken at the most its model can read and write. The bill follows what the vendor reports and
     *     is usually much lower.
     */
    Estimate: {
      /** @constant */
      object: 'estimate';
      /** @description The model code. */
      model: string;
      /** @description The whole, in quota units; 500,000 are 1 US dollar. This much is set aside when the request is made, and what is not used goes back. */
      quota: number;
      /** @description The same in US dollars. */
      usd: number;
      /** @description The lines of the quote. */
      items: components['schemas']['PriceLine'][];
      /** @description The version of the price book. A bill keeps the one it was made with. */
      price_version: string;
      /** @description What the group of the key multiplies every price with. */
      group_factor: number;
    };
    /** @description What a key may do; an absent limit does not bind. */
    KeyLimits: {
      requests_per_minute?: number;
      tokens_per_minute?: number;
      concurrent_requests?: number;
      /** @description US dollars per UTC hour. */
      spend_per_hour?: number;
      /** @description US dollars per UTC day. */
      spend_per_day?: number;
      /** @description US dollars per week, which begins on Monday, UTC. */
      spend_per_week?: number;
      /** @description US dollars per UTC month. */
      spend_per_month?: number;
      /** @description US dollars of one run of an agent. Then the answer is `run_limit_reached`. */
      spend_per_run?: number;
      /** @description Requests of one run. */
      requests_per_run?: number;
      /** @description Minutes after the first request of a run in which it can make others. */
      minutes_per_run?: number;
      /** @description How often in a row a run can make the same tool calls with the same results. It is also the number of answers in a row to the same chat request. */
      repeated_calls_per_run?: number;
      /** @description US dollars in all. */
      spend_total?: number;
      /** @description The highest `x-gateway-priority` that its video tasks may ask for; 0 without it. */
      max_priority?: number;
    };
    /** @description A key, without its secret. */
    Key: {
      /** @constant */
      object: 'key';
      id: number;
      /** @description Unique among the live keys of its owner. */
      name: string;
      /** @description What may be shown of the secret, such as `sk-test-ab12…wxyz`. */
      hint: string;
      /**
       * @description `test` keys always go to the built-in vendor twin and cost nothing.
       * @enum {string}
       */
      mode: 'live' | 'test';
      /** @description Whose money it spends; the `user_id` of task records. */
      owner_id: number;
      /** @description Its price and route group. */
      group: string;
      /** @description The model codes it may use; `*` stands for any text. */
      models: string[];
      /** @description Addresses or CIDR ranges it may come from; empty for anywhere. */
      ip_ranges: string[];
      limits: components['schemas']['KeyLimits'];
      /** @description Names and values to find it by, such as `team` and `search`. */
      tags: {
        [key: string]: string;
      };
      /** @description True when webhooks can be signed for it. */
      has_webhook_secret: boolean;
      /** @description True when prompts and answers of its requests are kept with the log of requests, where the operator lets them be (`requests.log` is `bodies`). */
      keep_bodies: boolean;
      /** @description True for a key of the configuration file. It is changed there and refused here with 409. */
      declared: boolean;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      expires_at: string | null;
      /** Format: date-time */
      revoked_at: string | null;
      /**
       * Format: date-time
       * @description Correct to about a minute.
       */
      last_used_at: string | null;
      /** @description The key it replaces. */
      rotated_from: number | null;
    };
    /** @description Who keys belong to and whose money they spend. */
    Owner: {
      /** @constant */
      object: 'owner';
      /** @description The `user_id` of task records. */
      id: number;
      name: string;
      /** @description The group of keys that name none. */
      group: string;
      /** @description What can be spent now, in quota units; the sum of the ledger's amounts. */
      balance: number;
      /** @description The same in US dollars. */
      balance_usd: number;
      /** @description How far below zero the balance may go, in quota units, beside the gateway's overdraft (`money.overdraft`). 0 is prepaid, null is no limit. */
      credit_limit: number | null;
      /** @description What the owner means to spend in a calendar month (UTC), in quota units. Reports compare spend with it; nothing is refused beyond it. Null is no budget. */
      monthly_budget: number | null;
      /** @description A balance below this, in quota units, is shown as low. Null is no warning. */
      low_balance: number | null;
      /** @description The organization that the owner belongs to. Usage and budgets add up owners of the same organization. */
      organization: string | null;
      /** @description True for an owner of the configuration file, which is changed there. */
      declared: boolean;
      /** Format: date-time */
      created_at: string;
    };
    /** @description A limit and what is used of it. */
    LimitUse: {
      /** @enum {string} */
      name:
        | 'requests_per_minute'
        | 'tokens_per_minute'
        | 'concurrent_requests'
        | 'spend_per_hour'
        | 'spend_per_day'
        | 'spend_per_week'
        | 'spend_per_month'
        | 'spend_per_run'
        | 'requests_per_run'
        | 'minutes_per_run'
        | 'repeated_calls_per_run'
        | 'spend_total';
      /** @description In the unit of `KeyLimits`; what is spent is in US dollars. */
      limit: number;
      /** @description In the same unit, what is set aside included. Null for limits of a minute, which the `x-ratelimit-*` headers of answers tell. */
      used: number | null;
      /**
       * Format: date-time
       * @description When it begins anew; null where it does not, or slides.
       */
      resets_at: string | null;
    };
    /** @description A key, its owner, and what is used of its limits. */
    Me: {
      /** @constant */
      object: 'me';
      /** @enum {string} */
      mode: 'live' | 'test';
      key: components['schemas']['Key'];
      owner: components['schemas']['Owner'];
      /** @description The limits that the key has. */
      limits: components['schemas']['LimitUse'][];
    };
    /**
     * @description By what usage is broken down. `vendor` is that of the account which answered. `organization` is that of the owner. `user`, `session` and `run` are whom the request was made for. `project` is the value of the tag `project`, and `tag` that of the tag which the parameter `tag` names. `default_price` is the account or vendor whose default price was charged, empty for models with a price of their own.
     * @enum {string}
     */
    UsageGroup:
      | 'day'
      | 'model'
      | 'key'
      | 'owner'
      | 'organization'
      | 'project'
      | 'user'
      | 'session'
      | 'run'
      | 'endpoint'
      | 'account'
      | 'vendor'
      | 'tag'
      | 'default_price';
    /** @description One group. */
    UsageRow: {
      /** @description The values of the asked groups, such as `{day, model}`. Owners of a test report are below zero. What has no such value has an empty text, or 0. */
      group: {
        [key: string]: string | number;
      };
      /** @description What the owner, the key and the account of the group are called now, as far as they are known. */
      names: {
        [key: string]: string;
      };
      requests: number;
      input_tokens: number;
      output_tokens: number;
      /** @description Quota units. */
      charged: number;
      charged_usd: number;
    };
    /** @description All groups together. */
    UsageSum: {
      requests: number;
      input_tokens: number;
      output_tokens: number;
      /** @description Quota units. */
      charged: number;
      charged_usd: number;
    };
    /** @description What was used and charged between two times. */
    UsageReport: {
      /** @constant */
      object: 'usage';
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      group_by: components['schemas']['UsageGroup'][];
      data: components['schemas']['UsageRow'][];
      total: components['schemas']['UsageSum'];
    };
    /** @description In milliseconds; null where there was nothing to measure. */
    Percentiles: {
      /** @description How many requests were measured. Every request has a time in all; streamed answers alone have one to the first byte. */
      count: number;
      p50: number;
      p90: number;
      p99: number;
    } | null;
    /** @description One step of time. */
    OverviewBucket: {
      /**
       * Format: date-time
       * @description Its first moment.
       */
      at: string;
      requests: number;
      /** @description Answers of 400 and above. */
      errors: number;
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
      /** @description Quota units. */
      charged: number;
      charged_usd: number;
      ms: components['schemas']['Percentiles'];
      first_byte_ms: components['schemas']['Percentiles'];
    };
    /** @description Sums over a time. */
    OverviewSum: {
      requests: number;
      /** @description Answers of 400 and above. */
      errors: number;
      input_tokens: number;
      cached_input_tokens: number;
      output_tokens: number;
      /** @description Quota units. */
      charged: number;
      charged_usd: number;
      ms: components['schemas']['Percentiles'];
      first_byte_ms: components['schemas']['Percentiles'];
    };
    /** @description What happened, by time. */
    Overview: {
      /** @constant */
      object: 'overview';
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      /** @description Seconds of a bucket. */
      step: number;
      /** @description Every step from `from` to `to`, empty ones too. */
      data: components['schemas']['OverviewBucket'][];
      total: components['schemas']['OverviewSum'];
      /** @description The sums of the period before, of the same length; null where they were not asked for. */
      previous: components['schemas']['OverviewSum'] | null;
    };
    /** @description One request, without what was said in it. */
    RequestRecord: {
      /** @constant */
      object: 'request';
      /** @description Its `x-request-id`. */
      id: string;
      /**
       * Format: date-time
       * @description When it came.
       */
      at: string;
      /** @enum {string} */
      mode: 'live' | 'test';
      owner_id: number;
      /** @description What the owner is called now; null when there is none of this number any more. */
      owner_name: string | null;
      key_id: number;
      /** @description What the key is called now; null when there is none of this number any more. */
      key_name: string | null;
      /** @description The operationId of this document, such as `createChatCompletion`. */
      operation: string;
      /** @description Null where no model was asked for. */
      kind: components['schemas']['ModelKind'] | null;
      /** @description What was asked for; null where the request named none. */
      model: string | null;
      /** @description How it came to who answered, as `x-gateway-route` says it; null where the model has no routes. */
      route: string | null;
      /** @description Who was asked last; null where nobody was. */
      account_id: number | null;
      /** @description The account's name, for operators; null for owners. */
      account: string | null;
      vendor: string | null;
      /** @description The HTTP status of the answer. */
      status: number;
      /** @description The error code of this document (`ErrorCode`), such as `rate_limited`; null when all went well. A stream that broke has a status of 200 and a code. */
      error: string | null;
      /** @description What the answer called it in the words of its format, such as `rate_limit_exceeded` in OpenAI's or `permission_error` in Anthropic's; null when all went well. A vendor's own code may have stood in its place. */
      error_shown: string | null;
      /** @description The caller went away before the end. */
      aborted: boolean;
      streamed: boolean;
      /** @description Milliseconds to the end of the answer. */
      ms: number;
      /** @description Milliseconds to the first byte of the vendor's answer. */
      first_byte_ms: number | null;
      /** @description Questions to vendors. */
      attempts: number;
      input_tokens: number | null;
      cached_input_tokens: number | null;
      output_tokens: number | null;
      /** @description Quota units; of a video task 0, because it is charged when it ends. */
      charged: number;
      charged_usd: number;
      /** @description Fields that a translation had no word for. */
      dropped: string[];
      /** @description What guardrails found, as `x-gateway-guardrails` says it, such as `personal masked in request (email)`. */
      guardrails: string[];
      /** @description What the caller sent in `x-gateway-tags`. */
      tags: {
        [key: string]: string;
      };
      /** @description Whom it was made for, as the key, the sign-in or the request says. */
      user: string | null;
      /** @description The conversation of an agent or an application, by its own id. */
      session: string | null;
      /** @description The task of an agent. It is the session unless `x-gateway-run` names another. */
      run: string | null;
      /** @description Where it came from. */
      address: string | null;
      /** @description The beginning of its `user-agent`. */
      client: string | null;
      /** @description The caller's own id of it, from `x-client-request-id` or `x-request-id`. */
      client_request_id: string | null;
    };
    /** @description One page of requests, newest first. */
    RequestList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['RequestRecord'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: string | null;
    };
    /** @description One question to a vendor. */
    RequestAttempt: {
      account_id: number;
      /** @description The account's name, for operators; null for owners. */
      account: string | null;
      vendor: string;
      /** @description The model code whose offer it was. */
      model: string;
      /** @description What the vendor calls it. */
      upstream_model: string;
      /** @description Milliseconds after the request came. */
      started_ms: number;
      /** @description How long it took, in milliseconds; of the last one to the end of the answer. */
      ms: number;
      /** @description The vendor's status, where it refused; null when it answered well or not at all. */
      status: number | null;
      /** @description The gateway's word for what went wrong; null when all went well. */
      error: string | null;
      /** @description The vendor's words, without secrets, for operators; null for owners. */
      message: string | null;
    };
    /** @description A charge for a request that was running when its process stopped. */
    InterruptedCharge: {
      /** @description Quota units. */
      charged: number;
      /** @description What was set aside for it, its worst case, in quota units. */
      reserved: number;
      /**
       * @description The basis of the charge. `delivered` is the delivered part of the answer, plus a little for the time since the last write to the ledger. `estimate` means that nothing was delivered. It is the usual cost of such requests, or the input and a sixteenth of the rest. `reserved` is the whole reservation. It applies if the owner or the key has a limit that vendors' bills must not exceed, or if a reasoning model had started.
       * @enum {string}
       */
      basis: 'delivered' | 'estimate' | 'reserved';
    };
    /** @description One line of the ledger. Lines are never changed or removed. */
    LedgerEntry: {
      /** @constant */
      object: 'ledger_entry';
      id: number;
      /** @description Below zero for what test keys use; it is nobody's money. */
      owner_id: number;
      key_id: number | null;
      /**
       * @description `hold` sets money aside, `capture` takes it, `release` gives it back, `topup` adds, `adjust` corrects.
       * @enum {string}
       */
      kind: 'hold' | 'capture' | 'release' | 'topup' | 'adjust';
      /** @description Effect on the balance, in quota units. */
      amount: number;
      /** @description Money taken for good by this line, in quota units. */
      charged: number;
      /** @description What the bill would have been beyond the balance; the house's loss. */
      shortfall: number;
      /** @description The hold that a capture or release closes or draws from. */
      hold_id: number | null;
      request_id: string | null;
      task_id: string | null;
      model: string | null;
      account_id: number | null;
      price_version: string | null;
      /** @description Usage, prices and lines behind the amount; `asked` is the code that was asked for, where a route led from it to this model. */
      detail: {
        [key: string]: unknown;
      };
      /** Format: date-time */
      created_at: string;
    };
    /** @description One bill, computed again from the usage and the prices it was made with. */
    LedgerReplay: {
      /** @constant */
      object: 'ledger_replay';
      request_id: string;
      model: string | null;
      owner_id: number;
      key_id: number | null;
      price_version: string | null;
      /** @description The account or vendor whose default price the bill has. Null for a model with a price of its own. */
      default_price: string | null;
      /** @description What was used, and whether it was estimated. */
      usage: {
        [key: string]: unknown;
      };
      lines: components['schemas']['PriceLine'][];
      /** @description What the group of the key multiplied every price with. */
      group_factor: number;
      /** @description What the lines come to, times the group's factor, rounded once to quota units. */
      recomputed: number;
      /** @description What was charged, in quota units. */
      charged: number;
      /** @description What the bill was beyond the balance or a cap; the house's loss. */
      shortfall: number;
      /** @description True when what was charged and the shortfall together are what the lines come to. */
      matches: boolean;
      /** @description What was charged because the gateway's process stopped while the request ran; null for every other bill. */
      interrupted: null | components['schemas']['InterruptedCharge'];
      /** @description What was given back of it afterwards, in quota units. */
      waived: number;
      /** @description The ledger's lines of this request, oldest first. */
      entries: components['schemas']['LedgerEntry'][];
    };
    /** @description Words of one message. */
    RequestMessage: {
      /** @description As the caller's format calls it; `system` for instructions, `assistant` for the answer. */
      role: string;
      text: string;
    };
    /** @description The request and the answer of the caller. The gateway masks what looks like a secret, leaves media out and cuts long texts. In `request` and `answer`, a text such as `[image/png, 1024 bytes]` stands for media, and `[email]` for masked text. */
    RequestContent: {
      /** @description The words of a chat request in their order, and at the end those of its answer; empty for other requests. */
      messages: components['schemas']['RequestMessage'][];
      /** @description The JSON body of the request; null where it had none, such as a form. */
      request: unknown;
      /** @description The JSON body of the answer; of a stream the answer that its events come to, or a list of them. Null where the caller left before there was any. */
      answer: unknown;
      /** @description Whether there was more of it. */
      cut: boolean;
      /** Format: date-time */
      kept_until: string;
      /** @description Why what was kept cannot be shown; null when it is. */
      fault: string | null;
    };
    /** @description One request in full. */
    RequestDetail: {
      request: components['schemas']['RequestRecord'];
      /** @description In the order in which vendors were asked. */
      attempts: components['schemas']['RequestAttempt'][];
      /** @description The bill, computed again; null where nothing was charged. */
      bill: components['schemas']['LedgerReplay'] | null;
      /** @description What was asked and answered. Null where it is not kept: it is when the operator's `requests.log` is `bodies` and the key's `keep_bodies` is true, and until its own time is over. */
      content: components['schemas']['RequestContent'] | null;
    };
    /**
     * @description By what the charges of a day are split; `day` is one line for each day. `user`, `session` and `run` are whom the request was made for. `project` is the value of the tag `project`, and `tag` that of the tag which the parameter `tag` names.
     * @enum {string}
     */
    StatementGroup: 'day' | 'model' | 'key' | 'project' | 'user' | 'session' | 'run' | 'endpoint' | 'tag';
    /** @description One line of a statement. What does not apply to its kind is null, or 0. A line that stands for a whole day has the members by which the statement is split. If requests have no such value, it is null. */
    StatementLine: {
      /**
       * Format: date
       * @description The day, UTC.
       */
      date: string;
      /**
       * Format: date-time
       * @description Null for a line that stands for a whole day.
       */
      time: string | null;
      /**
       * @description `charge` is what requests cost, `topup` is money added, `credit` gives back what one request was charged, `adjustment` is any other correction. `hold` and `release` set money aside and give it back; they are there when they are asked for.
       * @enum {string}
       */
      kind: 'topup' | 'adjustment' | 'credit' | 'charge' | 'hold' | 'release';
      /** @description What the operator wrote. */
      note: string | null;
      model: string | null;
      /** @description Charges that the line stands for. */
      requests: number;
      input_tokens: number;
      output_tokens: number;
      /** @description What the line adds to the balance; below zero for a charge, 0 for holds and releases. */
      amount: number;
      amount_usd: number;
      /** @description The balance after this line. */
      balance: number;
      balance_usd: number;
      /** @description What the line adds to the money that is set aside. */
      reserved: number;
      /** @description The line of the ledger; null for a line that stands for a whole day. */
      entry_id: number | null;
      key_id: number | null;
      request_id: string | null;
      task_id: string | null;
      /** @description The endpoint, such as `/v1/chat/completions`. */
      endpoint: string | null;
      /** @description The value of the tag `project`. */
      project: string | null;
      user: string | null;
      session: string | null;
      run: string | null;
      /** @description The value of the tag that the parameter `tag` names. */
      tag: string | null;
    };
    StatementSum: {
      /** @description Quota units. */
      amount: number;
      amount_usd: number;
    };
    /** @description The amounts of all lines by what they are. Together they are the closing balance less the opening balance. */
    StatementTotals: {
      topups: components['schemas']['StatementSum'];
      adjustments: components['schemas']['StatementSum'];
      credits: components['schemas']['StatementSum'];
      charges: components['schemas']['StatementSum'];
      /** @description How many charges. */
      requests: number;
    };
    /** @description The account of an owner over a period. Amounts are quota units (500,000 are 1 US dollar), and the same in US dollars. */
    Statement: {
      /** @constant */
      object: 'statement';
      owner_id: number;
      owner_name: string;
      /**
       * @description Of live keys, or of test keys, which pay nothing.
       * @enum {string}
       */
      mode: 'live' | 'test';
      /** Format: date-time */
      from: string;
      /**
       * Format: date-time
       * @description The end, not included; never later than `created_at`.
       */
      to: string;
      /**
       * Format: date-time
       * @description The moment that the statement shows.
       */
      created_at: string;
      /**
       * @description Whether charges have one line for each day and group, or one each.
       * @enum {string}
       */
      detail: 'days' | 'requests';
      /** @description What the charges of a day are split by; empty if each charge has its own line. */
      group_by: components['schemas']['StatementGroup'][];
      /** @description Whether there are lines for holds and releases. */
      holds: boolean;
      /** @description What top-ups, corrections and charges before `from` come to. */
      opening_balance: number;
      opening_balance_usd: number;
      /** @description What was set aside for running requests at `from`. It is part of the opening balance. */
      opening_reserved: number;
      lines: components['schemas']['StatementLine'][];
      totals: components['schemas']['StatementTotals'];
      /** @description The opening balance and the amounts of all lines. */
      closing_balance: number;
      closing_balance_usd: number;
      /** @description What is set aside for running requests at `to`. It is part of the closing balance, and cannot be spent. */
      closing_reserved: number;
    };
    /** @description One page of the ledger, newest first. */
    LedgerEntryList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['LedgerEntry'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /** @description One webhook and how its delivery fares. */
    WebhookDelivery: {
      /** @constant */
      object: 'webhook_delivery';
      /** @description The `webhook-id`, the same over all attempts. */
      id: string;
      task_id: string;
      key_id: number;
      /** @description Where it goes, without its query. */
      url: string;
      attempts: number;
      /** @enum {string} */
      status: 'pending' | 'delivered' | 'given_up';
      /** Format: date-time */
      next_attempt_at: string | null;
      /** Format: date-time */
      delivered_at: string | null;
      /** @description The HTTP status of the last attempt. */
      last_status: number | null;
      /** @description Why the last attempt failed, when there was no answer. */
      last_error: string | null;
      /** Format: date-time */
      created_at: string;
    };
    /** @description One page of deliveries, newest first. */
    WebhookDeliveryList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['WebhookDelivery'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: string | null;
    };
    /**
     * @description What the file is for. OpenAI's form needs it; Anthropic's has none, which is `user_data`. A file for `batch` is deleted after thirty days unless the upload says otherwise, others when you delete them. The
     *     gateway makes those of `batch_output` itself.
     * @enum {string}
     */
    FilePurpose:
      | 'assistants'
      | 'assistants_output'
      | 'batch'
      | 'batch_output'
      | 'evals'
      | 'fine-tune'
      | 'user_data'
      | 'vision';
    /** @description A file that was uploaded. */
    File: {
      /** @description Its id, for requests that name a file. */
      id: string;
      /** @constant */
      object: 'file';
      /**
       * Format: int64
       * @description Its size.
       */
      bytes: number;
      /** @description Unix seconds. */
      created_at: number;
      /** @description Unix seconds at which it is deleted; absent where it is kept until you delete it. */
      expires_at?: number;
      /** @description The last part of the name it came with. */
      filename: string;
      purpose: components['schemas']['FilePurpose'];
      /** @constant */
      status: 'processed';
      /** @description The type by its bytes. A member of the gateway's own. */
      mime_type?: string;
    };
    /** @description A page of files. */
    FileList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['File'][];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
    /** @description A file in Anthropic's form. */
    AnthropicFile: {
      id: string;
      /** @constant */
      type: 'file';
      filename: string;
      mime_type: string;
      /** Format: int64 */
      size_bytes: number;
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description When it is deleted; null where it is kept until you delete it.
       */
      expires_at: string | null;
      /** @description Always true here; Anthropic itself gives back only what its tools have made. */
      downloadable: boolean;
    };
    /** @description A page of files in Anthropic's form. */
    AnthropicFileList: {
      data: components['schemas']['AnthropicFile'][];
      has_more: boolean;
      first_id: string | null;
      last_id: string | null;
      /** @description For `page`; null on the last one. */
      next_page: string | null;
    };
    /** @description A page of files in Google's form. */
    GeminiFileList: {
      files?: components['schemas']['GeminiFile'][];
      nextPageToken?: string;
    };
    /** @description A file and what it is for. Numbers are sent as text. The type is recognised by the bytes; of texts, which cannot be recognised, by the declared type or the ending of the name. */
    FileForm: {
      /**
       * Format: binary
       * @description The file. How large it may be is the gateway's `files.largest_upload`.
       */
      file: Blob;
      purpose?: components['schemas']['FilePurpose'];
      /**
       * @description What the expiry is counted from.
       * @enum {string}
       */
      'expires_after[anchor]'?: 'created_at';
      /** @description When the file is deleted, in seconds after it was created; 3600 (an hour) to 2592000 (thirty days). */
      'expires_after[seconds]'?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description A file that is gone. */
    FileDeleted: {
      id: string;
      /** @constant */
      object: 'file';
      /** @constant */
      deleted: true;
    };
    /** @description A file that is gone, in Anthropic's form. */
    AnthropicFileDeleted: {
      id: string;
      /** @constant */
      type: 'file_deleted';
    };
    /** @description When the file is deleted. */
    FileExpiry: {
      /** @enum {string} */
      anchor: 'created_at';
      /** @description Seconds after it was created. */
      seconds: number;
    };
    /** @description A file that will be sent in parts. */
    UploadCreate: {
      /**
       * Format: int64
       * @description Its size. The parts must have as many bytes together.
       */
      bytes: number;
      /** @description What it is called. */
      filename: string;
      /** @description Its type; believed of texts, others are recognised by their bytes. */
      mime_type: string;
      purpose: components['schemas']['FilePurpose'];
      expires_after?: components['schemas']['FileExpiry'];
    };
    /** @description An upload in parts. It expires an hour after it was begun. */
    Upload: {
      id: string;
      /** @constant */
      object: 'upload';
      /** Format: int64 */
      bytes: number;
      created_at: number;
      expires_at: number;
      filename: string;
      purpose: components['schemas']['FilePurpose'];
      /** @enum {string} */
      status: 'pending' | 'completed' | 'cancelled';
      /** @description The file, when the upload is completed. */
      file: components['schemas']['File'] | null;
    };
    /** @description One part, of at most 64 MB. */
    UploadPartForm: {
      /**
       * Format: binary
       * @description Its bytes.
       */
      data: Blob;
    } & {
      [key: string]: unknown;
    };
    /** @description A part that has come. */
    UploadPart: {
      id: string;
      /** @constant */
      object: 'upload.part';
      created_at: number;
      upload_id: string;
    };
    /** @description How the parts become the file. */
    UploadComplete: {
      /** @description The parts in their order. */
      part_ids: string[];
      /** @description The MD5 of the whole file, hexadecimal; the upload is refused where it is another. */
      md5?: string;
    };
    /** @description What is known of a file before it is sent. */
    GeminiUploadStart: {
      file?: {
        displayName?: string;
        mimeType?: string;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description What came of a vendor's webhook. */
    VendorWebhookTaken: {
      /** @description Whether the vendor is asked now; false if the task has ended. */
      due: boolean;
    };
    /** @description An identity provider that people sign in with. */
    SingleSignOn: {
      /** @description What people call it. */
      name: string;
      /**
       * @description Where the browser goes to sign in. With `return_to`, a path of the console, it comes back there. It always comes back to the console: signed in, or with `sign_in_fault` in the address,
       *     which says why not.
       */
      url: string;
    };
    /** @description The ways to sign in to the console. */
    ConsoleSignIn: {
      /** @constant */
      object: 'console_sign_in';
      /** @description Signing in with an identity provider; null where none is configured. Keys are taken always. */
      single_sign_on: components['schemas']['SingleSignOn'] | null;
    };
    /**
     * @description The role from an identity provider's claims. `admin` has the admin API. `owner` has the rights of a key of the owner. `member` has the same rights, but cannot change or remove the owner's objects. Null for a session that began with a key and has the rights of its key.
     * @enum {string|null}
     */
    ConsoleRole: 'admin' | 'owner' | 'member' | null;
    /** @description A session, without its secret. */
    ConsoleSession: {
      /** @constant */
      object: 'console_session';
      /** @description Its name; it opens nothing. */
      id: string;
      /** @description It opens what the admin key opens. */
      admin: boolean;
      /** @description The key that it stands for; null where it is for the admin API alone. */
      key_id: number | null;
      /** Format: date-time */
      created_at: string;
      /**
       * Format: date-time
       * @description Correct to about a minute.
       */
      last_used_at: string;
      /**
       * Format: date-time
       * @description When it ends, however much it is used.
       */
      expires_at: string;
      /**
       * Format: date-time
       * @description When it ends if it is not used.
       */
      idle_expires_at: string;
      /** @description Where it was begun from. */
      address: string | null;
      /** @description The beginning of the `user-agent` it was begun with. */
      client: string | null;
      /** @description It is the session of this request. */
      current: boolean;
      role: components['schemas']['ConsoleRole'];
      /** @description Who signed in, as the identity provider calls them (`email`, `preferred_username`, `name` or `sub`); null for a session that began with a key. */
      signed_in_as: string | null;
    };
    /** @description Who a request stands for. */
    ConsoleIdentity: {
      /** @constant */
      object: 'console_identity';
      /** @description It opens what the admin key opens. */
      admin: boolean;
      /** @description The admin API is on this port. Where it has a port of its own, the console for operators is there. */
      admin_api: boolean;
      /** @description The key that it stands for; null where it is for the admin API alone. */
      key: components['schemas']['Key'] | null;
      /** @description Operations that cost money are open to it; false without a key, and for people whom an identity provider signed in where `console.oidc.playground` is not configured. */
      may_pay: boolean;
      role: components['schemas']['ConsoleRole'];
      /** @description The session of the cookie; null for a request that came with a key. */
      session: components['schemas']['ConsoleSession'] | null;
      /** @description What every request other than `GET` has to send in `x-csrf-token` beside the cookie; null for a request that came with a key. */
      csrf_token: string | null;
    };
    /** @description How to begin the session. */
    ConsoleSessionCreate: {
      /**
       * @description True, sent with the cookie and the `x-csrf-token` of an open session: the new session opens what that one opened, too, and replaces it. So one session has the admin API by the admin key and the public
       *     API by a key beside it.
       */
      keep_current?: boolean;
    };
    /** @description A session that has ended. */
    ConsoleSessionEnded: {
      /** @constant */
      object: 'console_session.ended';
      /** @description Which; null where there was none. */
      id: string | null;
      /** @description False where there was none. */
      ended: boolean;
      /** @description The address where the browser also signs out of the identity provider. Null if the session began with a key, or if the provider has no such page. */
      sign_out_url: string | null;
    };
    /** @description Open sessions, newest first. */
    ConsoleSessionList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ConsoleSession'][];
    };
    /** @description One page of keys. */
    KeyList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Key'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /** @description A key to be made. */
    KeyCreate: {
      name: string;
      /** @description Whose key it is, whose money it spends, and whose tasks, files and subjects it sees. Without it the key gets an owner of its own, named like the key, with the credit limit of owner 1. */
      owner_id?: number;
      /**
       * @description Without it `live`.
       * @enum {string}
       */
      mode?: 'live' | 'test';
      /** @description Without it the owner's group. */
      group?: string;
      /** @description Model codes of the catalogue, or patterns with `*`; without it every model. */
      models?: string[];
      /** @description Addresses or CIDR ranges; without it anywhere. */
      ip_ranges?: string[];
      limits?: components['schemas']['KeyLimits'];
      /** @description Names and values to find it by, such as `team` and `search`. */
      tags?: {
        [key: string]: string;
      };
      /**
       * Format: date-time
       * @description In the future; without it never.
       */
      expires_at?: string;
      /** @description `whsec_` and base64 of 24 to 64 bytes, or `generate` to have one made. */
      webhook_secret?: string;
      /** @description Whether prompts and answers of its requests are kept, where `requests.log` is `bodies`; without it they are not. */
      keep_bodies?: boolean;
    };
    /** @description A new key with its secret. The secret is stored only as a hash and is never shown again. */
    KeyCreated: {
      /** @description The key to send, `sk-…` or `sk-test-…`. */
      secret: string;
      /** @description The secret its webhooks are signed with, `whsec_…`; null when none was asked for. */
      webhook_secret: string | null;
      key: components['schemas']['Key'];
    };
    /** @description What should change; absent fields stay. */
    KeyUpdate: {
      name?: string;
      group?: string;
      models?: string[];
      ip_ranges?: string[];
      /** @description All of them; what is not named no longer binds. */
      limits?: components['schemas']['KeyLimits'];
      /** @description All of them; what is not named is taken away. */
      tags?: {
        [key: string]: string;
      };
      /**
       * Format: date-time
       * @description Null for never.
       */
      expires_at?: string | null;
      /** @description Null for none. */
      webhook_secret?: string | null;
      /** @description What is kept already stays until its time is over. */
      keep_bodies?: boolean;
    };
    /** @description The limits of a key and what is used of them. */
    KeyLimitUse: {
      /** @constant */
      object: 'key_limit_use';
      key_id: number;
      /** @description The limits that the key has. */
      limits: components['schemas']['LimitUse'][];
    };
    /** @description How the old key ends. */
    KeyRotate: {
      /** @description How long the old key still works beside the new one, up to 30 days; without it 86400. */
      overlap_seconds?: number;
    };
    /** @description One page of owners. */
    OwnerList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Owner'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /** @description An owner to be made. */
    OwnerCreate: {
      name: string;
      /** @description Without it `default`. */
      group?: string;
      /** @description Without it 0, prepaid; null is no limit. */
      credit_limit?: number | null;
      /** @description What the owner means to spend in a calendar month (UTC), in quota units. Reports compare spend with it; nothing is refused beyond it. Null is no budget. */
      monthly_budget?: number | null;
      /** @description A balance below this, in quota units, is shown as low. Null is no warning. */
      low_balance?: number | null;
      /** @description The organization that the owner belongs to. Usage and budgets add up owners of the same organization. */
      organization?: string | null;
    };
    /** @description What should change; absent fields stay. */
    OwnerUpdate: {
      name?: string;
      group?: string;
      credit_limit?: number | null;
      /** @description What the owner means to spend in a calendar month (UTC), in quota units. Reports compare spend with it; nothing is refused beyond it. Null is no budget. */
      monthly_budget?: number | null;
      /** @description A balance below this, in quota units, is shown as low. Null is no warning. */
      low_balance?: number | null;
      /** @description The organization that the owner belongs to. Usage and budgets add up owners of the same organization. */
      organization?: string | null;
    };
    /** @description Money to add, as quota units or as US dollars; one of both. */
    TopUp: {
      /** @description Quota units; 500,000 are 1 US dollar. */
      amount?: number;
      /** @description US dollars, a whole number of quota units. */
      usd?: number;
      /** @description For people. */
      note?: string;
    };
    /** @description The line that was written, and the owner after it. */
    BalanceChange: {
      entry: components['schemas']['LedgerEntry'];
      owner: components['schemas']['Owner'];
    };
    /** @description A correction of a balance. */
    Adjustment: {
      /** @description Quota units; below zero takes money away. */
      amount: number;
      /** @description Why; kept in the ledger. */
      note: string;
    };
    /**
     * @description Why a request read less from the vendor's cache than it could have:
     *
     *     - `changed`: a block of the prompt is not what the previous request had.
     *     - `tools_reordered`: the tools are the same in another order.
     *     - `history_trimmed`: the conversation no longer has its first messages.
     *     - `other_model`, `other_account`: each model and each account has a cache of its own.
     *     - `not_requested`: the vendor caches only what `cache_control` marks, and the requests had no mark.
     *     - `marked_early`: the last mark is far before the end of the prompt.
     *     - `too_many_blocks`: the vendor looks only a few blocks back from a mark, and the request added more.
     *     - `expired`: the previous request was longer ago than the vendor keeps prompts.
     *     - `at_once`: the previous request was still running.
     *     - `not_read`: nothing changed; vendors do not promise to cache.
     * @enum {string}
     */
    CacheCause:
      | 'changed'
      | 'tools_reordered'
      | 'history_trimmed'
      | 'other_model'
      | 'other_account'
      | 'not_requested'
      | 'marked_early'
      | 'too_many_blocks'
      | 'expired'
      | 'at_once'
      | 'not_read';
    /** @description What a chat request read from its vendor's prompt cache, and what it could have read. */
    RequestCache: {
      /** @constant */
      object: 'request_cache';
      request_id: string;
      /** @description False if the request is too short to cache, or the vendor keeps part of its prompt. Also false if its model has no price for cached input. The other members are null then. */
      examined: boolean;
      model: string | null;
      upstream_model: string | null;
      account_id: number | null;
      input_tokens: number | null;
      /** @description Tokens that the vendor read from its cache. */
      read_tokens: number | null;
      /** @description Tokens that it had seen in an earlier request; 0 for the first request of a conversation. */
      could_tokens: number | null;
      lost_tokens: number | null;
      /** @description The difference between the prices of input and cached input for the lost tokens. */
      lost_usd: number | null;
      /** @description Null if nothing was lost. */
      cause: components['schemas']['CacheCause'] | null;
      /** @description The first block that differs, by its place in the request's body, such as `tools[3]` or `messages[4].content[1]`. */
      changed: string | null;
      /** @description The earlier request that the gateway compared it with. */
      previous_request_id: string | null;
      seconds_since_previous: number | null;
      /** @description Shorter prompts are not cached. */
      minimum_tokens: number | null;
      /** @description How long the vendor keeps a prompt that nobody uses. */
      lifetime_seconds: number | null;
      explanation: string;
      advice: string | null;
    };
    /** @description Times of answers in milliseconds. */
    ReplayLatency: {
      count: number;
      p50: number;
      p90: number;
    };
    /** @description How many requests asked for a model. */
    ReplayAsked: {
      model: string;
      requests: number;
    };
    /** @description What recorded requests would have cost on another model. */
    ReplayEstimate: {
      /** @constant */
      object: 'replay_estimate';
      key_id: number;
      /** @description The other model. */
      model: string;
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      /** @description Chat requests that were answered. */
      requests: number;
      /** @description Whether there were more than `limit`. */
      has_more: boolean;
      input_tokens: number;
      /** @description The estimate assumes that the other model's cache serves as many. */
      cached_input_tokens: number;
      output_tokens: number;
      /** @description What the requests cost. */
      charged_usd: number;
      /** @description The recorded tokens at the prices of the other model. */
      estimated_usd: number;
      /** @description Milliseconds to the end of these answers; null without any. */
      latency: components['schemas']['ReplayLatency'] | null;
      /** @description The same for the newest answers of the other model, to any key, in the last 7 days; null without any. */
      model_latency: components['schemas']['ReplayLatency'] | null;
      /** @description The models that the requests asked for. */
      asked: components['schemas']['ReplayAsked'][];
    };
    /** @description Losses with one cause. */
    CacheLoss: {
      cause: components['schemas']['CacheCause'];
      requests: number;
      lost_tokens: number;
      lost_usd: number;
      advice: string;
    };
    /** @description Sums of one key. */
    CacheReportKey: {
      owner_id: number;
      owner_name: string | null;
      key_id: number;
      key_name: string | null;
      /** @enum {string} */
      mode: 'live' | 'test';
      requests: number;
      input_tokens: number;
      read_tokens: number;
      lost_tokens: number;
      /** @description What reading the lost tokens from caches would have saved. */
      lost_usd: number;
      /** @description What these requests cost. */
      charged_usd: number;
      /** @description The greatest loss first. */
      causes: components['schemas']['CacheLoss'][];
    };
    /** @description Losses of prompt caches by key. */
    CacheReport: {
      /** @constant */
      object: 'cache_report';
      /** Format: date-time */
      from: string;
      /**
       * Format: date-time
       * @description The last day, which is included.
       */
      to: string;
      data: components['schemas']['CacheReportKey'][];
      has_more: boolean;
    };
    /** @description A parameter that did not reach the vendor as the client sent it. */
    DroppedParameter: {
      /** @constant */
      object: 'dropped_parameter';
      /** @description Its name in the client's format, without the numbers of elements, such as `messages[].content[].cache_control`. It is `other` for all further names of a key that has more than 100 on a day. */
      parameter: string;
      /** @description The model code that the client asked for. */
      model: string | null;
      /** @enum {string} */
      mode: 'live' | 'test';
      owner_id: number;
      owner_name: string | null;
      key_id: number;
      key_name: string | null;
      /** @description Requests that had the parameter and lost it. A request counts once. */
      requests: number;
      /** Format: date-time */
      first_at: string;
      /** Format: date-time */
      last_at: string;
      /** @description Why, as the last of these requests says; `sent as …` if the vendor got another value. */
      reason: string;
      /** @description How the client or the operator can change it. */
      advice: string;
    };
    /** @description Dropped parameters, the most frequent first. */
    DroppedParameterList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['DroppedParameter'][];
      has_more: boolean;
    };
    /** @description A recorded request on another model. */
    RequestReplayCreate: {
      /**
       * @description The code of the other model.
       * @example claude-haiku-4-5
       */
      model: string;
      /** @description The other model's answer as the gateway sent it, to compare it with the recorded one. */
      answer?: {
        [key: string]: unknown;
      };
    };
    /** @description A request to the gateway. */
    ReplaySend: {
      /** @description POST to this path. */
      path: string;
      body: {
        [key: string]: unknown;
      };
    };
    /** @description An answer as far as it is compared. */
    ReplayAnswer: {
      text: string;
      /** @description Tool calls, such as `find({"ship":"Anna"})`. */
      calls: string[];
      /** @description Whether the model refused. */
      refused: boolean;
    };
    /** @description A recorded request as it is sent to another model. */
    RequestReplay: {
      /** @constant */
      object: 'request_replay';
      request_id: string;
      /** @description The other model. */
      model: string;
      /**
       * @description Why it cannot be sent again; null if it can.
       *     - `no_content`: its content is not kept.
       *     - `incomplete`: it is no answered chat, parts of it are not kept, the conversation is kept elsewhere, or tools of MCP servers would run.
       * @enum {unknown}
       */
      reason: 'no_content' | 'incomplete' | null;
      /** @description The last message of the user; empty without content. */
      asked: string;
      /** @description What to send; null if it cannot be sent again. */
      send: components['schemas']['ReplaySend'] | null;
      /** @description The recorded answer. */
      before: components['schemas']['ReplayAnswer'] | null;
      /** @description The answer that was given; null without one. */
      after: components['schemas']['ReplayAnswer'] | null;
      /** @description How the two answers differ in tool calls, refusal and length. Empty without a new answer. */
      differences: string[];
    };
    /** @description Why a charge is given back. */
    Waiver: {
      /** @description Kept in the ledger and in the audit log. */
      note: string;
    };
    /**
     * @description Where models, accounts and budgets can be changed: `file` alone, or `database`, whose entries lie over the file (`config.source`).
     * @enum {string}
     */
    ConfigSource: 'file' | 'database';
    /** @description What is wrong, and where. */
    ConfigFault: {
      /** @description The place, such as `models[gpt-x].offers[0].account`; in a file rows have numbers. */
      path: string;
      message: string;
      /** @description The name of the file, or `the database`. */
      file: string | null;
      line: number | null;
      /** @description The `id` of the entry that it is in; null for what is not in the database. */
      entry: string | null;
    };
    /** @description When a changed configuration was taken last, and what was other in it. */
    ConfigReload: {
      /** Format: date-time */
      at: string;
      /** @description In words, without secrets. */
      changes: string[];
      /** @description Settings that were changed and take effect at the next start. */
      needs_restart: string[];
    };
    /** @description The loaded configuration, and the faults of its current file. */
    LoadedConfig: {
      /** @constant */
      object: 'config';
      /** @description The files it came from, by their names; empty for the built-in catalogue alone. */
      sources: string[];
      kept_in: components['schemas']['ConfigSource'];
      /** @description Every setting that the files set, as it is written there; secrets are `***`. */
      settings: {
        [key: string]: unknown;
      };
      /** @description The faults of the current file. While there are any, the gateway keeps the loaded configuration. */
      faults: components['schemas']['ConfigFault'][];
      /** @description Faults of entries of the database that do not fit what lies beneath them. These entries are as if they were not there. */
      left_out: components['schemas']['ConfigFault'][];
      /** @description What can hardly be meant. */
      warnings: components['schemas']['ConfigFault'][];
      last_reload: components['schemas']['ConfigReload'] | null;
    };
    /**
     * @description A list of the configuration. Routes and aliases are members of models.
     * @enum {string}
     */
    ConfigSection: 'models' | 'accounts' | 'budgets';
    /** @description A row of the configuration file, in its words; secrets are `***`, and references to the environment of the database's own are shown. */
    ConfigRow: {
      [key: string]: unknown;
    };
    /** @description A model, an account or a budget, and where it comes from. */
    ConfigEntry: {
      /** @constant */
      object: 'config_entry';
      /** @description The section and the name. */
      id: string;
      section: components['schemas']['ConfigSection'];
      /** @description The code of the model, or the name of the account or the budget. */
      name: string;
      /** @description Who has a row of this name, from beneath. */
      from: ('builtin' | 'file' | 'database')[];
      /** @description The id of the change that made the entry in the database; 0 if there is no entry. */
      version: number;
      /** @description The row in effect; null if there is no row. */
      value: components['schemas']['ConfigRow'] | null;
      /** @description What the database has of it; null where it has nothing, or takes the row away. */
      kept: components['schemas']['ConfigRow'] | null;
      /** @description The database takes the row away. */
      removed: boolean;
      /** @description The row as the file and the built-in catalogue have it; null where they have none. */
      beneath: components['schemas']['ConfigRow'] | null;
      /** @description Why the entry is left out. */
      faults: components['schemas']['ConfigFault'][];
    };
    /** @description A page of models, accounts and budgets, in the order of their names. */
    ConfigEntryList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ConfigEntry'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: string | null;
    };
    /** @description What the database keeps of the row. One of the two. */
    ConfigEntryPut: {
      /** @description Fields of the row, as in the configuration file. They replace whole fields of the row beneath; the other fields stay. A secret is a reference to the environment (`${OPENAI_API_KEY}`). With an encryption key it can also be plain text, which the gateway encrypts. `***` keeps the value in the database. */
      value?: {
        [key: string]: unknown;
      };
      /** @description True removes the row, also a built-in one. */
      removed?: boolean;
    };
    /** @description What the database has for a row. */
    KeptRow: {
      value: components['schemas']['ConfigRow'] | null;
      removed: boolean;
    };
    /** @description A change of an entry. What was before is kept, so that it can be undone. */
    ConfigChange: {
      /** @constant */
      object: 'config_change';
      id: number;
      /** Format: date-time */
      at: string;
      /** @description As in the audit log. */
      actor: string;
      request_id: string | null;
      section: components['schemas']['ConfigSection'];
      name: string;
      /** @description The entry before it; null where there was none. */
      before: components['schemas']['KeptRow'] | null;
      /** @description The entry after it; null if it was removed. */
      after: components['schemas']['KeptRow'] | null;
      /** @description The change that it takes back. */
      undoes: number | null;
    };
    /** @description What a change made, or would make. */
    ConfigChangeResult: {
      /** @constant */
      object: 'config_change_result';
      dry_run: boolean;
      /** @description Null for a dry run, and where nothing was to change. */
      change: components['schemas']['ConfigChange'] | null;
      /** @description The row after it; null for a dry run with faults. */
      entry: components['schemas']['ConfigEntry'] | null;
      /** @description What is other in the configuration in effect, in words, without secrets. */
      differences: string[];
      /** @description Of a dry run; a change with faults is refused. */
      faults: components['schemas']['ConfigFault'][];
      /** @description What can hardly be meant of the row. */
      warnings: components['schemas']['ConfigFault'][];
    };
    /** @description A page of changes, newest first. */
    ConfigChangeList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ConfigChange'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /**
     * @description The action. `request.read` means that an operator read a stored prompt and answer. `job.download` means a download of a maintenance job's file. `account.test` means that an account that is not stored was tried, and has the host that was asked. Other reading leaves no line.
     * @enum {string}
     */
    AuditAction:
      | 'key.create'
      | 'key.rotate'
      | 'key.update'
      | 'key.revoke'
      | 'owner.create'
      | 'owner.update'
      | 'owner.topup'
      | 'owner.adjust'
      | 'request.waive'
      | 'webhook.replay'
      | 'task.cancel'
      | 'admin-key.rotate'
      | 'encryption-key.rotate'
      | 'config.put'
      | 'config.remove'
      | 'config.delete'
      | 'config.undo'
      | 'account.test'
      | 'request.read'
      | 'person.block'
      | 'person.unblock'
      | 'person.sign-out'
      | 'job.start'
      | 'job.cancel'
      | 'job.download'
      | 'alert.test';
    /** @description One change by an operator. */
    AuditEntry: {
      /** @constant */
      object: 'audit_entry';
      id: number;
      /** Format: date-time */
      at: string;
      /** @description `admin key` and the hint of the key that was used, or `command` for the command line. */
      actor: string;
      action: components['schemas']['AuditAction'];
      /** @description What was changed, such as `key 7`, `owner 3`, `task task_0a1b…`, `webhook delivery msg_2c1d0e9f8a7b6c5d` or `models/gpt-5.2`. */
      subject: string;
      /** @description As the admin API showed it; null for what was not there. */
      before: {
        [key: string]: unknown;
      } | null;
      /** @description As the admin API shows it; of a rotation the new key. With `entry`, the line of the ledger, where money changed. */
      after: {
        [key: string]: unknown;
      } | null;
      request_id: string | null;
    };
    /** @description One page of the audit log, newest first. */
    AuditEntryList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['AuditEntry'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /** @description Every balance, window and hold, computed again from the lines. */
    LedgerVerification: {
      /** @constant */
      object: 'ledger_verification';
      /** @description True when everything adds up. */
      ok: boolean;
      differences: {
        /** @description What differs, such as `owner 7 balance`. */
        subject: string;
        expected: number;
        found: number;
        message: string;
      }[];
    };
    /** @description What must always be so of the rows together, and what breaks it. */
    InvariantReport: {
      /** @constant */
      object: 'invariant_report';
      /** @description True when nothing was found that breaks an invariant. */
      ok: boolean;
      /**
       * Format: date-time
       * @description When the last look ended; null before the first.
       */
      at: string | null;
      /**
       * Format: date-time
       * @description When the whole ledger and all owners had been looked at last; null before the first time.
       */
      whole_at: string | null;
      /** @description Every invariant, held or not. */
      invariants: {
        /** @enum {string} */
        name:
          | 'balance_is_sum_of_entries'
          | 'balance_within_credit'
          | 'request_charged_once'
          | 'hold_has_purpose'
          | 'ended_task_has_no_open_hold'
          | 'open_task_is_looked_after'
          | 'lease_is_settled'
          | 'webhook_is_looked_after';
        /** @description How many were found; the label `invariant` of the metric `gateway_invariant_violations` has the same name. */
        violations: number;
      }[];
      /** @description What was found, at most 100. */
      violations: {
        invariant: string;
        /** @description What breaks the invariant, such as `owner 7` or `task task_8sJq`. */
        subject: string;
        message: string;
      }[];
    };
    /**
     * @description - `ledger_verify` computes every balance, hold, window and charge again from the ledger.
     *     - `invariants` looks through everything for what must never be so.
     *     - `backup` copies a SQLite database to a file while the gateway works on it. The encryption key is not part of it.
     *     - `usage_export` is the usage report as CSV.
     *     - `ledger_export` is every line of the ledger in the period, as CSV.
     *     - `request_export` is the log of requests in the period, as CSV.
     *     - `audit_export` is the audit log in the period, as CSV.
     * @enum {string}
     */
    JobKind:
      | 'ledger_verify'
      | 'invariants'
      | 'backup'
      | 'usage_export'
      | 'ledger_export'
      | 'request_export'
      | 'audit_export';
    /**
     * @description `interrupted` is a job whose process stopped or died before the job had ended: start it again.
     * @enum {string}
     */
    JobState: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
    /** @description One maintenance job. */
    Job: {
      /** @constant */
      object: 'job';
      id: number;
      kind: components['schemas']['JobKind'];
      state: components['schemas']['JobState'];
      /** @description What it was started with, besides its kind. */
      parameters: {
        [key: string]: unknown;
      };
      /** @description How far it is, in rows, pages or steps of its own; `total` is null while it is not known. */
      progress: {
        done: number;
        total: number | null;
      };
      /** @description Who started it, as the audit log says it. */
      started_by: string;
      cancel_requested: boolean;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      started_at: string | null;
      /** Format: date-time */
      ended_at: string | null;
      /**
       * Format: date-time
       * @description When the job is removed from the list, 30 days after its end; null before its end.
       */
      expires_at: string | null;
      /** @description Why it failed or was interrupted. */
      error: {
        code: string;
        message: string;
      } | null;
      /** @description What came of it; null before it has succeeded. */
      result: {
        /** @description Of `ledger_verify` and `invariants`, true when nothing was found; else null. */
        ok: boolean | null;
        /** @description Of `ledger_verify` and `invariants`, how many differences or violations were found. */
        found: number | null;
        /** @description What was found, at most 100. */
        examples: {
          /** @description What differs, such as `owner 7` or `lease 12`. */
          subject: string;
          message: string;
        }[];
        /** @description Lines of the CSV file without its heading, or of a backup the lines of the ledger in it. */
        rows: number | null;
      } | null;
      /** @description The [file](ref:getJobFile) that it made; null when there is none, or none any more. */
      file: {
        name: string;
        content_type: string;
        bytes: number;
        /** Format: date-time */
        expires_at: string;
      } | null;
    };
    /** @description One page of maintenance jobs, newest first. */
    JobList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Job'][];
      has_more: boolean;
      next_after: number | null;
    };
    /** @description What to do. A parameter that the kind does not take is refused. */
    JobCreate: {
      kind: components['schemas']['JobKind'];
      /**
       * Format: date-time
       * @description Start of an export; without it the beginning, for usage 30 days before the end.
       */
      from?: string;
      /**
       * Format: date-time
       * @description End of an export, not included; without it now.
       */
      to?: string;
      /**
       * Format: int64
       * @description For exports of usage, ledger and requests, only of this owner.
       */
      owner_id?: number;
      /**
       * Format: int64
       * @description For exports of usage, ledger and requests, only of this key.
       */
      key_id?: number;
      /**
       * @description For exports of usage and requests, only of live or of test keys. Without it, usage is that of live keys and requests are those of both.
       * @enum {string}
       */
      mode?: 'live' | 'test';
      /** @description For exports of usage, by what to break it down; without it by `day`. */
      group_by?: components['schemas']['UsageGroup'][];
      /** @description For exports of usage, the name of the tag that `tag` in `group_by` groups by. */
      tag?: string;
    };
    /** @description A task as operators see it. */
    AdminTask: {
      /** @constant */
      object: 'task';
      /** @description The task identifier. */
      id: string;
      /** @description Internal record number. */
      number: number;
      /** @enum {string} */
      kind: 'video' | 'subject' | 'image';
      /** @enum {string} */
      mode: 'live' | 'test';
      owner_id: number;
      key_id: number;
      group: string;
      request_id: string;
      model: string;
      account_id: number;
      /** @description The account's name. */
      account: string;
      vendor: string;
      upstream_model: string;
      status: components['schemas']['VideoTaskStatus'];
      progress: number;
      fail_reason: string;
      /** @description The error code behind a failure; empty otherwise. */
      fail_code: string;
      /** @description Set aside while open, charged at the end. */
      quota: number;
      /** @description True once the vendor was asked. */
      submitted: boolean;
      /** @description True once the vendor's answer is stored. Submitted without a ticket is a submission whose outcome is unknown. */
      has_ticket: boolean;
      cancel_requested: boolean;
      /** @description Polls so far. */
      checks: number;
      /** @description Polls in a row that said there is no such task. */
      missing: number;
      /** @description Polls in a row that failed. */
      faults: number;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      /** Format: date-time */
      start_time: string | null;
      /** Format: date-time */
      finish_time: string | null;
      /** Format: date-time */
      next_check_at: string | null;
      /** Format: date-time */
      deadline_at: string;
    };
    /** @description One page of tasks, newest first. */
    AdminTaskList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['AdminTask'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: string | null;
    };
    /** @description A row of the configuration. A new model without a price needs one. */
    ModelProposal: {
      /** @description The code of the model. */
      name: string;
      /** @description Members of the row. */
      value: {
        [key: string]: unknown;
      };
    };
    /** @description One difference. */
    ModelChange: {
      /** @constant */
      object: 'model_change';
      /** @description The name of the account. */
      account: string;
      /** @description The vendor's name of the model. */
      model: string;
      /** @description The model of the catalogue; null for a new one. */
      code: string | null;
      /**
       * @description `deprecated`: the vendor advises against the model. `retiring`: it names a day after which it serves the model no more. Of a vendor that lists only some of its models, none is `gone`.
       * @enum {string}
       */
      change: 'new' | 'gone' | 'deprecated' | 'retiring' | 'limits' | 'price';
      /** @description What the catalogue says. */
      before: {
        [key: string]: unknown;
      } | null;
      /** @description What the vendor says. */
      after: {
        [key: string]: unknown;
      } | null;
      /** @description The entry that takes the change over; null where only people can say what to do. */
      proposal: null | components['schemas']['ModelProposal'];
    };
    /** @description How an account answered. */
    ModelListing: {
      account: string;
      vendor: string;
      /** @description False of a vendor without a list of models. Then `listed` and `error` are null. */
      lists_models: boolean;
      /** @description How many models it lists; null where it could not be asked. */
      listed: number | null;
      /** @description Why it could not be asked. */
      error: string | null;
    };
    /** @description Where the catalogue differs from what vendors list. */
    ModelChangeList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['ModelChange'][];
      /** @description The accounts that were asked. */
      accounts: components['schemas']['ModelListing'][];
    };
    /** @description What an account last went wrong with. */
    AccountFault: {
      /** @description The gateway's word for it, such as `upstream_rejected_key`. */
      code: string;
      /** @description The status that the vendor answered with; null when no answer came. */
      status: number | null;
      /** @description The vendor's words, without secrets. */
      message: string;
      /** @description What was asked for, as the vendor calls it. */
      model: string;
      /** Format: date-time */
      at: string;
    };
    /** @description One bound of an account's budget. */
    AccountBudget: {
      /**
       * @description Of the last 60 seconds, or of the day in UTC.
       * @enum {string}
       */
      bound:
        | 'requests_per_minute'
        | 'tokens_per_minute'
        | 'dollars_per_minute'
        | 'requests_per_day'
        | 'tokens_per_day'
        | 'dollars_per_day';
      limit: number;
      /** @description In the same unit. */
      used: number;
    };
    /** @description A key or a region of an account. It has its own limits and its own health. */
    AccountKey: {
      /** @description The `channel_id` of its task records. The first has the id of the account. */
      id: number;
      /** @description Its place in the configuration, from 1. For several regions, every key counts once in each. */
      number: number;
      /** @description The region, if the account has `regions`. */
      region: string | null;
      /**
       * @description As the state of an account.
       * @enum {string}
       */
      state: 'closed' | 'open' | 'half-open';
      /** Format: date-time */
      cool_until: string | null;
      /** @description Failures in a row. */
      failures: number;
      /** @description What it last went wrong with. */
      last_fault: components['schemas']['AccountFault'] | null;
      in_flight: number;
      queued: number;
      open_tasks: number;
    };
    /** @description A vendor account and how it fares in this process. */
    Account: {
      /** @constant */
      object: 'account';
      /** @description The `channel_id` of task records. Records of another key or region of the account have that one's id. */
      id: number;
      name: string;
      vendor: string;
      /** @description Whether its credentials are set. */
      on: boolean;
      /** @description Why it is off, such as `OPENAI_API_KEY is not set`; null for an account that is on. */
      off_reason: string | null;
      /** @description True for accounts of the built-in vendor twin. */
      twin: boolean;
      /**
       * @description `closed`: healthy. `open`: cooling down. `half-open`: the next request is a probe.
       * @enum {string}
       */
      state: 'closed' | 'open' | 'half-open';
      /** Format: date-time */
      cool_until: string | null;
      /** @description Failures in a row. */
      failures: number;
      /** @description What it last went wrong with, kept when it is well again; null when nothing did since the start. */
      last_fault: components['schemas']['AccountFault'] | null;
      /** @description Requests at the vendor now. */
      in_flight: number;
      /** @description Requests waiting for a slot. */
      queued: number;
      max_concurrency: number;
      /** @description Tasks the vendor is working on. */
      open_tasks: number;
      /** @description The model codes it serves. */
      models: string[];
      /** @description What the operator lets it be used for, and how much of that is used. For several keys, their sum. */
      budgets: components['schemas']['AccountBudget'][];
      /** @description How each key fares, or each region. Empty for an account with one key and one region. */
      keys: components['schemas']['AccountKey'][];
    };
    /** @description All accounts. */
    AccountList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Account'][];
    };
    /** @description An account that is not kept yet, or a change of one. */
    AccountDraft: {
      /**
       * @description What offers call it. What it leaves out is taken from the account of this name, where there is one.
       * @example ollama
       */
      name: string;
      /** @description Fields of the account, as in the configuration file and [`putConfigEntry`](ref:putConfigEntry). A secret is plain text or a reference to the environment (`${OPENAI_API_KEY}`). `***` stands for the value in the database. */
      value: {
        [key: string]: unknown;
      };
      /**
       * @description A model of the catalogue, or of the vendor, to ask for; without it one that leads to the account.
       * @example llama3.2
       */
      model?: string;
    };
    /** @description A model that an account can be asked for. */
    AccountModel: {
      /** @description As the vendor calls it. */
      id: string;
      /** @description What callers ask for it by, or would. */
      code: string;
      /**
       * @description What kind of model it is, as the catalogue has it; by its name where the catalogue does not know it.
       * @example chat
       */
      kind: string;
      /** @description Whether a model of the configuration has an offer of this account for it. */
      offered: boolean;
      /** @description The price that the catalogue has for it, in the words of the configuration file; null where it has none. */
      price: components['schemas']['ConfigRow'] | null;
      /** @description What the catalogue or the vendor says of its sizes, in the words of the configuration file. */
      limits: {
        [key: string]: unknown;
      };
      /** @description The wires that an offer of it would name; empty for models that are not chat. */
      dialects: string[];
    };
    /** @description What one call to the vendor of a draft showed, and which models it may offer. Nothing of it is kept. */
    AccountDraftTest: {
      /** @constant */
      object: 'account_draft_test';
      name: string;
      /** @description True when the vendor took the call. */
      ok: boolean;
      /**
       * @description In one word; `invalid` for a draft that could not be kept, whose vendor is not asked.
       * @enum {string}
       */
      finding:
        | 'works'
        | 'reached'
        | 'off'
        | 'invalid'
        | 'wrong-key'
        | 'wrong-base-url'
        | 'missing-v1'
        | 'wrong-model'
        | 'no-route'
        | 'rate-limited'
        | 'failed';
      /** @description In a sentence, with what to do; without secrets. */
      message: string;
      /** @description The vendor's status; null when it answered well or not at all. */
      status: number | null;
      /** @description How long it took, in milliseconds. */
      ms: number;
      /** @description What is wrong with the draft, and where. */
      faults: components['schemas']['ConfigFault'][];
      /** @description Models that the account can be asked for; at most 2000. */
      models: components['schemas']['AccountModel'][];
      /**
       * @description Who named the models; null where nobody did.
       * @enum {string|null}
       */
      models_from: 'vendor' | 'catalogue' | null;
    };
    /** @description What one call to an account's vendor showed. */
    AccountTest: {
      /** @constant */
      object: 'account_test';
      account_id: number;
      /** @description The account's name. */
      account: string;
      /** @description True when the vendor took the call. */
      ok: boolean;
      /**
       * @description In one word.
       * @enum {string}
       */
      finding:
        | 'works'
        | 'reached'
        | 'off'
        | 'wrong-key'
        | 'wrong-base-url'
        | 'missing-v1'
        | 'wrong-model'
        | 'no-route'
        | 'rate-limited'
        | 'failed';
      /** @description In a sentence, with what to do; without secrets. */
      message: string;
      /** @description The vendor's status; null when it answered well or not at all. */
      status: number | null;
      /** @description How long it took, in milliseconds. */
      ms: number;
    };
    /** @description One of the credentials of an account. */
    VendorCredential: {
      name: string;
      about: string;
      /** @description False for what names an account and opens nothing. */
      secret: boolean;
      /** @description The environment variable that the built-in account reads it from; null if there is no such variable. */
      variable: string | null;
      /** @description Whether that variable is set in the gateway's environment. */
      is_set: boolean;
    };
    /** @description A setting of an account. */
    VendorSetting: {
      name: string;
      about: string;
      /** @description The values that it can have; empty where any text is one. */
      values: string[];
      /** @description What the built-in account has. */
      default: string | null;
    };
    /** @description Whom an account can be made for, and what such an account holds. */
    Vendor: {
      /** @constant */
      object: 'vendor';
      /** @description The name of the built-in account; of the vendor, where it has none. */
      id: string;
      /** @description The name that people know it by. */
      title: string;
      /** @description Programs and services that are asked as this vendor. */
      keywords: string[];
      /** @description The word for `vendor` of an account. */
      vendor: string;
      /** @description The built-in account, with its references to the environment; null if there is no such account. */
      account: components['schemas']['ConfigRow'] | null;
      /** @description Where it is unless an account says otherwise; null where every account says its own. */
      base_url: string | null;
      /** @description The wire of the built-in account, where it names one. */
      wire: string | null;
      /** @description The wires that an account may name. */
      wires: string[];
      /** @description What an account may hold. */
      credentials: components['schemas']['VendorCredential'][];
      /** @description Sets of credentials and settings of which one must be filled, the usual one first; an empty set says that none is needed. */
      sufficient: string[][];
      /** @description Further settings that an account may have. */
      settings: components['schemas']['VendorSetting'][];
      /** @description Whether the vendor can be asked which models an account may use. */
      lists_models: boolean;
      /** @description Kinds of models that the vendor serves, each with the units that its price needs. */
      priced_by: {
        [key: string]: string[];
      };
    };
    /** @description All vendors, the built-in accounts first. */
    VendorList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Vendor'][];
    };
    /**
     * @description What somebody may do: `admin`, everything; `owner`, what a key of the owner may; `member`, the same without what changes or removes the owner's things. The identity provider's claims give it at each sign-in.
     * @enum {string}
     */
    PersonRole: 'admin' | 'owner' | 'member';
    /** @description Somebody who has signed in with the identity provider. */
    Person: {
      /** @constant */
      object: 'person';
      id: number;
      /** @description As the provider called them last (`email`, `preferred_username`, `name` or `sub`). */
      name: string;
      /** @description The provider's own, unchanging name of the person. */
      subject: string;
      issuer: string;
      role: components['schemas']['PersonRole'];
      /** @description The owner that the claims named last; null for operators without one. */
      owner_id: number | null;
      owner_name: string | null;
      /** @description How often they have signed in. */
      sign_ins: number;
      open_sessions: number;
      /** Format: date-time */
      first_sign_in_at: string;
      /**
       * Format: date-time
       * @description The last try counts too if the person is blocked.
       */
      last_sign_in_at: string;
      /**
       * Format: date-time
       * @description The time since which the person cannot sign in; null if the person can.
       */
      blocked_at: string | null;
    };
    /** @description One page of people. */
    PersonList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Person'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /** @description What is to change. */
    PersonUpdate: {
      /** @description True to refuse further sign-ins, false to allow them again. */
      blocked: boolean;
    };
    /** @description Nothing needs to be said. */
    PersonSignOut: Record<string, never>;
    /**
     * @description Whose limit it is.
     * @enum {string}
     */
    BudgetSubject: 'key' | 'owner' | 'account' | 'budget';
    /**
     * @description Whether requests beyond it are refused, or operators are only told. `refuse` without it.
     * @enum {string}
     */
    BudgetAction: 'refuse' | 'alert';
    /** @description A share of a limit; 0.8 is 80%, and 1 is all of it. */
    BudgetShare: number;
    /** @description What a budget above keys does when it is used up, and when you are told. */
    BudgetRuleSummary: {
      /** @description The name of the budget, for [`GET /admin/budgets/{budget}`](ref:getBudget). */
      name: string;
      action: components['schemas']['BudgetAction'];
      /** @description The shares of the limit at which you are told; null for those of `alerts.at`. */
      alert_at: components['schemas']['BudgetShare'][] | null;
    };
    /** @description One limit, and what is used of it. */
    Budget: {
      /** @constant */
      object: 'budget';
      of: components['schemas']['BudgetSubject'];
      /** @description The number of the key, the owner or the account; of a budget of the configuration a number made of its name. */
      id: number;
      name: string;
      /** @description Who pays; null for accounts and for budgets of the configuration. */
      owner_id: number | null;
      owner_name: string | null;
      /**
       * @description Which limit. `spend_…` are caps of keys, and budgets of the configuration. If each user or key has its own budget, the list has one entry for each that has spent something. Its `name` then has the budget and whose it is. As long as nobody has spent anything, there is one entry with the name of the budget. Hours, days, weeks and months are those of UTC, and a week begins on Monday. `monthly_budget` is what an owner plans to spend in a month, which refuses nothing. `balance` is what an owner without credit has left, `credit` how far an owner may go below zero. The others are budgets of accounts.
       * @enum {string}
       */
      bound:
        | 'spend_per_hour'
        | 'spend_per_day'
        | 'spend_per_week'
        | 'spend_per_month'
        | 'spend_total'
        | 'monthly_budget'
        | 'balance'
        | 'credit'
        | 'requests_per_minute'
        | 'tokens_per_minute'
        | 'dollars_per_minute'
        | 'requests_per_day'
        | 'tokens_per_day'
        | 'dollars_per_day';
      /**
       * @description What `limit`, `used` and `left` count.
       * @enum {string}
       */
      unit: 'usd' | 'requests' | 'tokens';
      /** @description Null for a balance, which grows with each top-up. */
      limit: number | null;
      /** @description Null for a balance. */
      used: number | null;
      /** @description Below zero when more was used than the limit. */
      left: number;
      /** @description The used part of the limit, 0 to 1 and above. For a balance it is 1 if the balance is used up, and null otherwise. */
      share: number | null;
      /**
       * Format: date-time
       * @description When it begins anew; null where it does not, or slides.
       */
      resets_at: string | null;
      /** @description It comes from the configuration file and is changed there. */
      declared: boolean;
      /** @description The budget above keys that it belongs to; null for keys, owners and accounts. */
      rule: null | components['schemas']['BudgetRuleSummary'];
    };
    /** @description Budgets, the fullest first. */
    BudgetList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Budget'][];
      /** @description There are more than `limit`; they are less full. */
      has_more: boolean;
    };
    /**
     * @description What the budget is of.
     * @enum {string}
     */
    BudgetScope: 'organization' | 'owner' | 'user' | 'key' | 'tag';
    /**
     * @description When it begins anew, in UTC; a week begins on Monday.
     * @enum {string}
     */
    BudgetWindow: 'hour' | 'day' | 'week' | 'month' | 'total';
    /** @description A budget above keys. */
    BudgetCreate: {
      /** @description A unique name, for refusals and alerts. */
      name: string;
      scope: components['schemas']['BudgetScope'];
      /** @description The name of the tag; only for a budget of a tag. */
      tag?: string;
      /** @description Whose requests count. These are names of organizations, users or values of the tag, or names or numbers of owners and keys. All count without it. */
      values?: string[];
      /** @description Whether each of them has the whole limit. Otherwise they share it. */
      each?: boolean;
      window: components['schemas']['BudgetWindow'];
      /** @description The limit in US dollars. */
      limit: number;
      action?: components['schemas']['BudgetAction'];
      /** @description The shares of the limit at which you are told, in place of `alerts.at`. With an empty list, you are told of none. A budget that refuses has shares up to 1. */
      alert_at?: components['schemas']['BudgetShare'][];
    };
    /** @description A budget above keys, as it is in effect. */
    BudgetRule: {
      /** @constant */
      object: 'budget_rule';
      /** @description A number that is made of its name, as in the list of budgets. */
      id: number;
      /** @description A unique name, for refusals and alerts. */
      name: string;
      scope: components['schemas']['BudgetScope'];
      /** @description The name of the tag; only for a budget of a tag. */
      tag: string | null;
      /** @description Whose requests count. These are names of organizations, users or values of the tag, or names or numbers of owners and keys. All count without it. */
      values: string[] | null;
      /** @description Whether each of them has the whole limit. Otherwise they share it. */
      each: boolean;
      window: components['schemas']['BudgetWindow'];
      /** @description The limit in US dollars. */
      limit: number;
      action: components['schemas']['BudgetAction'];
      /** @description The shares of the limit at which you are told, in place of `alerts.at`. With an empty list, you are told of none. Null is as in `alerts.at`. */
      alert_at: components['schemas']['BudgetShare'][] | null;
      /** @description It comes from the configuration file and is changed there. */
      declared: boolean;
    };
    /** @description A budget that is gone. */
    BudgetRuleDeleted: {
      /** @constant */
      object: 'budget_rule.deleted';
      id: number;
      name: string;
      /** @constant */
      deleted: true;
    };
    /** @description What should change; absent fields stay. */
    BudgetUpdate: {
      scope?: components['schemas']['BudgetScope'];
      /** @description The name of the tag; only for a budget of a tag. */
      tag?: string | null;
      /** @description Whose requests count. These are names of organizations, users or values of the tag, or names or numbers of owners and keys. All count without it. */
      values?: string[] | null;
      /** @description Whether each of them has the whole limit. Otherwise they share it. */
      each?: boolean;
      window?: components['schemas']['BudgetWindow'];
      /** @description The limit in US dollars. */
      limit?: number;
      action?: components['schemas']['BudgetAction'];
      /** @description The shares of the limit at which you are told, in place of `alerts.at`. With an empty list, you are told of none. A budget that refuses has shares up to 1. Null is as in `alerts.at`. */
      alert_at?: components['schemas']['BudgetShare'][] | null;
    };
    /**
     * @description Whose bill it is. `aws` is Amazon Bedrock, `google` is the Gemini API and Vertex AI.
     * @enum {string}
     */
    BillVendor: 'openai' | 'anthropic' | 'aws' | 'google';
    /** @description What a vendor charged for one item, day and project. */
    VendorBillLine: {
      /**
       * Format: date
       * @description The day in UTC.
       * @example 2026-10-01
       */
      day: string;
      /**
       * @description The item in the vendor's words.
       * @example gpt-5.2-2025-12-11, input
       */
      item: string;
      /** @description The vendor's project, workspace or account; empty if the export does not have it. */
      project: string;
      /**
       * @description Only `usage` is compared.
       * @enum {string}
       */
      kind: 'usage' | 'tax' | 'credit' | 'other';
      /**
       * @description US dollars as a decimal number, so that no digit is lost.
       * @example 12.345678
       */
      amount: string;
    };
    /** @description A bill to compare with the ledger. */
    BillCheckCreate: {
      vendor: components['schemas']['BillVendor'];
      /**
       * Format: date
       * @description The first day (UTC); the first one of the lines when absent.
       * @example 2026-10-01
       */
      from?: string;
      /**
       * Format: date
       * @description The last day, at most 30 days later; the last one of the lines when absent.
       * @example 2026-10-31
       */
      to?: string;
      /**
       * @description Only this account of the configuration; all of the vendor when absent.
       * @example openai
       */
      account?: string;
      /** @description Models of the catalogue by the items that they are, for items that the gateway does not know. */
      models?: {
        [key: string]: string;
      };
      /** @description Accounts by the vendor's projects; an empty name is that of lines without a project. With it, each account is compared separately. Projects that it does not name, and accounts without a project, are not compared: they are in `other_projects` and `other_accounts`. */
      projects?: {
        [key: string]: string;
      };
      /**
       * @description US dollars that are no difference; without it 0.01.
       * @example 0.01
       */
      tolerance_usd?: number;
      /** @description Whether the result also lists what agrees; without it no. */
      include_matches?: boolean;
      /** @description The lines of the bill. */
      lines: components['schemas']['VendorBillLine'][];
    };
    /** @description What probably made both sides differ. */
    BillCause: {
      /**
       * @description - `outside`: requests with the vendor's key did not go through the gateway.
       *     - `not_billed`: the vendor bills nothing.
       *     - `time_zone`: the neighbouring day differs the other way round.
       *     - `price`: the price in the catalogue is not the vendor's.
       *     - `cached_tokens`: cached input was billed like fresh input.
       *     - `batch`: one side has the price of batches.
       *     - `regional`: a surcharge of a region or a data zone.
       *     - `interrupted`: the ledger has estimates for answers that were cut off.
       *     - `unknown`: nothing of these fits.
       * @enum {string}
       */
      cause:
        | 'outside'
        | 'not_billed'
        | 'time_zone'
        | 'price'
        | 'cached_tokens'
        | 'batch'
        | 'regional'
        | 'interrupted'
        | 'unknown';
      /** @description The cause in a sentence. */
      text: string;
    };
    /** @description Both sides of a day, model and account. */
    BillDifference: {
      /** Format: date */
      day: string;
      /** @description The vendor's model without its date. */
      model: string;
      /** @description The account; null if all accounts of the vendor are compared together. */
      account: string | null;
      /** @description Requests in the ledger. */
      requests: number;
      /** @description What the vendor charged. */
      vendor_usd: number;
      /** @description What the requests cost at the prices of the catalogue, without factors of groups. */
      ledger_usd: number;
      /** @description Above zero when the vendor charged more. */
      difference_usd: number;
      /** @description The likely causes, the likeliest first; empty if both sides agree. */
      causes: components['schemas']['BillCause'][];
    };
    /** @description The result of a check. */
    BillCheck: {
      /** @constant */
      object: 'bill_check';
      vendor: components['schemas']['BillVendor'];
      /** Format: date */
      from: string;
      /**
       * Format: date
       * @description The last day, included.
       */
      to: string;
      /** @description True when nothing differs, and `unknown`, `other_projects` and `other_accounts` are empty. */
      ok: boolean;
      /** @description How many days of models and accounts were compared. */
      compared: number;
      /** @description The sum of what was compared, on the vendor's side. */
      vendor_usd: number;
      /** @description The sum of what was compared, in the ledger. */
      ledger_usd: number;
      difference_usd: number;
      /** @description The largest first. */
      differences: components['schemas']['BillDifference'][];
      /** @description With `include_matches`, the days, models and accounts that agree, in the order of days. They have no causes. */
      matches?: components['schemas']['BillDifference'][];
      /** @description Items of no known model. They are not compared. */
      unknown: {
        item: string;
        usd: number;
        /** @description On how many days. */
        days: number;
      }[];
      /** @description Usage of projects that `projects` does not name, the largest first. It is not compared. */
      other_projects: {
        /** @description The project; empty for lines without one. */
        project: string;
        usd: number;
        /** @description On how many days. */
        days: number;
      }[];
      /** @description Accounts for which `projects` names no project, the largest first. Their requests are not compared. */
      other_accounts: {
        account: string;
        /** @description What their requests cost in the ledger. */
        usd: number;
      }[];
      /** @description Taxes, credits and the like, which are not compared. */
      other: {
        /** @enum {string} */
        kind: 'usage' | 'tax' | 'credit' | 'other';
        usd: number;
      }[];
    };
    /**
     * @description What happened.
     *     - `budget.threshold`: a budget has reached a share of its limit.
     *     - `budget.forecast`: at its present pace, a budget or a balance is used up before it begins anew.
     *     - `owner.low_balance`: a balance is below the owner's `low_balance`.
     *     - `account.key_refused`: a vendor refuses an account, because its key is wrong or its credit is used up.
     *     - `summary`: several alerts in one message, because there were too many in one hour.
     *     - `test`: a test message.
     * @enum {string}
     */
    AlertType:
      | 'budget.threshold'
      | 'budget.forecast'
      | 'owner.low_balance'
      | 'account.key_refused'
      | 'summary'
      | 'test';
    /** @description One alert for one channel. */
    AlertDelivery: {
      /** @constant */
      object: 'alert_delivery';
      id: number;
      type: components['schemas']['AlertType'];
      /** @description The name of the channel in the configuration. */
      channel: string;
      /** @description The message. */
      text: string;
      /**
       * @description The gateway retries a `pending` message until it is `sent`, for about two days. After that it is `given_up`.
       * @enum {string}
       */
      status: 'pending' | 'sent' | 'given_up';
      /** @description How often the gateway has tried. */
      attempts: number;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      next_attempt_at: string | null;
      /** Format: date-time */
      sent_at: string | null;
      /** @description Why the last attempt failed; without addresses and secrets. */
      last_error: string | null;
    };
    /** @description One page of alerts, newest first. */
    AlertDeliveryList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['AlertDelivery'][];
      has_more: boolean;
      /** @description Give this as `after` to read the next page. */
      next_after: number | null;
    };
    /** @description Which channels to test. */
    AlertTestCreate: {
      /**
       * @description The name of one channel. Without it, the gateway tests all channels.
       * @example ops
       */
      channel?: string;
    };
    /**
     * @description How a channel delivers messages.
     * @enum {string}
     */
    AlertChannelType: 'webhook' | 'slack' | 'discord' | 'teams' | 'email';
    /** @description The result of a test, one row for each channel. */
    AlertTest: {
      /** @constant */
      object: 'alert_test';
      /** @description Whether every channel took the message. */
      ok: boolean;
      channels: {
        name: string;
        type: components['schemas']['AlertChannelType'];
        ok: boolean;
        /** @description Why the message did not arrive; without addresses and secrets. */
        error: string | null;
      }[];
    };
    /**
     * @description What becomes of what is found. `observe`, it is told; `mask`, `[email]` stands in its place; `refuse`, the request ends.
     * @enum {string}
     */
    GuardrailMode: 'observe' | 'mask' | 'refuse';
    /** @enum {string} */
    GuardrailStage: 'request' | 'answer';
    /** @description A hook or a moderation model. */
    GuardrailJudge: {
      /** @enum {string} */
      kind: 'hook' | 'moderation';
      /** @description The host of the hook, or the code of the model. */
      name: string;
      timeout_ms: number;
      /**
       * @description What becomes of a text that could not be judged.
       * @enum {string}
       */
      on_error: 'allow' | 'refuse';
    };
    /** @description One guardrail of the configuration. */
    Guardrail: {
      /** @constant */
      object: 'guardrail';
      name: string;
      mode: components['schemas']['GuardrailMode'];
      stages: components['schemas']['GuardrailStage'][];
      /** @description Whose requests, by the codes of models; empty for all of them. */
      models: string[];
      /** @description By the names of keys; empty for all of them. */
      keys: string[];
      /** @description By groups; empty for all of them. */
      groups: string[];
      /** @description Built-in sets. */
      detect: string[];
      patterns: {
        name: string;
        pattern: string;
      }[];
      /** @description How many words and phrases it looks for. */
      words: number;
      /** @description Who judges texts in its place; null where it looks itself. */
      judge: components['schemas']['GuardrailJudge'] | null;
    };
    /** @description All guardrails. */
    GuardrailList: {
      /** @constant */
      object: 'list';
      data: components['schemas']['Guardrail'][];
    };
    /** @description A text, and whose it would be. */
    GuardrailTrial: {
      text: string;
      /** @description Where it would stand; without it in the request. */
      stage?: components['schemas']['GuardrailStage'];
      /** @description The model code that is asked for; without it only guardrails of all models look. */
      model?: string;
      /** @description The name of the key. */
      key?: string;
      /** @description The group of the key; without it `default`. */
      group?: string;
    };
    /** @description What one guardrail found. */
    GuardrailFinding: {
      name: string;
      mode: components['schemas']['GuardrailMode'];
      /**
       * @description `not_asked`: a hook or a moderation model would judge it, and was not asked.
       * @enum {string}
       */
      outcome: 'passed' | 'observed' | 'masked' | 'refused' | 'not_asked';
      found: {
        /** @description `email`, the name of a pattern, `word`. */
        label: string;
        count: number;
      }[];
    };
    /** @description What would become of the text. */
    GuardrailTrialResult: {
      /** @constant */
      object: 'guardrail_trial';
      /**
       * @description Of the strictest guardrail that found something.
       * @enum {string}
       */
      outcome: 'passed' | 'observed' | 'masked' | 'refused';
      /** @description What would go on; null when it is refused. */
      text: string | null;
      /** @description Those that are for this model, key and group, at this stage. */
      guardrails: components['schemas']['GuardrailFinding'][];
    };
    /** @description What a request would be, as far as routes ask for it. */
    RouteQuestion: {
      /** @description What the request would name in `model`. */
      model: string;
      /** @description The name of its key; nothing when absent. */
      key?: string;
      /** @description The key's group; `default` when absent. */
      group?: string;
      /**
       * @description Whether its key is a live or a test key; `live` when absent.
       * @enum {string}
       */
      mode?: 'live' | 'test';
      /** @description Its tags. */
      tags?: {
        [key: string]: string;
      };
      /** @description What it brings beside text. */
      inputs?: ('image' | 'audio' | 'video' | 'document' | 'tools')[];
      /** @description The tokens of its input; 0 when absent. */
      input_tokens?: number;
      /** @description Where it arrives; `server.region` when absent. */
      region?: string;
      /**
       * Format: date-time
       * @description When it arrives; now when absent.
       */
      at?: string;
    };
    /** @description A model by an account. */
    RouteCandidate: {
      /** @description The code whose price it has. */
      model: string;
      account_id: number;
      account: string;
      /**
       * @description How the request comes to it.
       * @enum {string}
       */
      by: 'own' | 'route' | 'on_error' | 'on_context_too_long' | 'on_content_refusal';
      /** @enum {string} */
      strategy: 'weighted' | 'least_busy' | 'lowest_latency' | 'cheapest';
      /** @description It failed of late, and is asked after those that did not. */
      cooling: boolean;
      /** @description Requests at its account now. */
      in_flight: number;
      /** @description Milliseconds that an answer of 250 tokens takes, by what was measured; null while nothing was. */
      expected_ms: number | null;
    };
    /** @description A reason. */
    RouteNote: {
      model: string;
      account: string | null;
      left_out: boolean;
      reason: string;
    };
    /** @description Whom a request would go to. */
    RouteExplanation: {
      /** @constant */
      object: 'route_explanation';
      /** @description The code that the name stands for. */
      model: string;
      /** @description In the order in which they are asked; empty when nobody can be asked. */
      candidates: components['schemas']['RouteCandidate'][];
      /** @description Who is asked instead when a vendor says that the input is too long. */
      on_context_too_long: components['schemas']['RouteCandidate'][];
      /** @description Who is asked instead when a vendor refuses what the request says. */
      on_content_refusal: components['schemas']['RouteCandidate'][];
      /** @description Why models and accounts have their place, or none, in the order in which they were looked at. */
      notes: components['schemas']['RouteNote'][];
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "messages[0].role is \"robot\"; it must be one of system, developer, user, assistant, tool.",
         *         "type": "invalid_request_error",
         *         "param": "messages[0].role",
         *         "code": null
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "invalid_api_key"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description The key has no right to use this model or this address, or its balance or spend cap is used up (`insufficient_quota`). */
    OpenAiForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "forbidden"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description There is no such thing, or it belongs to somebody else. */
    OpenAiNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "There is no video with the id video_5f0c2f4e. Videos are visible to keys of the owner that made them.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "not_found"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
    /** @description A limit of this key was reached: requests or tokens per minute, or concurrent requests. `retry-after` says when to come back. */
    OpenAiRateLimited: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
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
         *         "code": "rate_limit_exceeded"
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
    /** @description Described here, but not served by this deployment. */
    OpenAiNotImplemented: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This deployment does not serve this operation yet.",
         *         "type": "invalid_request_error",
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
    /** @description The body refers to an object at a vendor (`previous_response_id`, a file, a container). No answer to a key of this owner and mode contained it. */
    OpenAiStateNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "previous_response_id: 'resp_68e9a1' was not found; it must come from an answer to one of your keys",
         *         "type": "invalid_request_error",
         *         "param": "previous_response_id",
         *         "code": "not_found"
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request.",
         *         "type": "invalid_request_error",
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
    /** @description A limit of this key was reached (`rate_limited`), or its balance or a spend cap is used up (`insufficient_quota`). It can also be that every vendor account for the model is at its own limit (`upstream_rate_limited`). If waiting helps, `retry-after` is present. */
    OpenAiTooMany: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
    /** @description The body, a parameter or a medium is wrong, the model code is unknown, or a content filter refused the input. The message names the place and what would be right. */
    AnthropicInvalidRequest: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "invalid_request_error",
         *         "message": "messages[0].role is \"robot\"; it must be one of system, developer, user, assistant, tool."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The key is missing, unknown, expired or revoked. */
    AnthropicUnauthenticated: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "authentication_error",
         *         "message": "This request carries no key. Send `Authorization: Bearer <key>`."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The key has no right to use this model or this address, or its balance or spend cap is used up (`insufficient_quota`). */
    AnthropicForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "permission_error",
         *         "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The body refers to an object at a vendor (a file, a container). No answer to a key of this owner and mode contained it. */
    AnthropicStateNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "not_found_error",
         *         "message": "container: 'container_011Cpz' was not found; it must come from an answer to one of your keys"
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The `Idempotency-Key` was already used with another body. */
    AnthropicConflict: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "conflict_error",
         *         "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The body is over 64 MB. */
    AnthropicBodyTooLarge: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "request_too_large",
         *         "message": "The body is larger than 64 MB. Send large media by URL."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The `Content-Type` is not one this endpoint reads. */
    AnthropicUnsupportedMediaType: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "invalid_request_error",
         *         "message": "Content-Type is text/plain; this endpoint reads application/json."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description A limit of this key was reached: requests or tokens per minute, or concurrent requests. `retry-after` says when to come back. */
    AnthropicRateLimited: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        'request-id': components['headers']['AnthropicRequestId'];
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
         *       "type": "error",
         *       "error": {
         *         "type": "rate_limit_error",
         *         "message": "This key may make 600 requests per minute and has made them. Try again in 7 seconds."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The gateway's own fault. Report the `x-request-id`. */
    AnthropicInternal: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "api_error",
         *         "message": "Something went wrong in the gateway. Report the x-request-id of this reply."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description Described here, but not served by this deployment. */
    AnthropicNotImplemented: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "invalid_request_error",
         *         "message": "This deployment does not serve this operation yet."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description Every vendor for this model failed, was saturated or did not answer in time, or the gateway is shutting down. `retry-after` says when another try makes sense. */
    AnthropicUnavailable: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'request-id': components['headers']['AnthropicRequestId'];
        'retry-after': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "type": "error",
         *       "error": {
         *         "type": "overloaded_error",
         *         "message": "No vendor could serve doubao-seedance-2-0-fast just now. Try again in 7 seconds."
         *       },
         *       "request_id": "req_01JD8X6Z6K5QG4T9W2N7V3B1MC"
         *     }
         */
        'application/json': components['schemas']['AnthropicError'];
      };
    };
    /** @description The body, a parameter or a medium is wrong, the model code is unknown, or a content filter refused the input. The message names the place and what would be right. */
    GoogleInvalidRequest: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 400,
         *         "message": "contents[0].parts is missing; give at least one part.",
         *         "status": "INVALID_ARGUMENT"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The key is missing, unknown, expired or revoked. */
    GoogleUnauthenticated: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 401,
         *         "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *         "status": "UNAUTHENTICATED"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The key has no right to use this model or this address, or its balance or spend cap is used up (`insufficient_quota`). */
    GoogleForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 403,
         *         "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it.",
         *         "status": "PERMISSION_DENIED"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description There is no such thing, or it belongs to somebody else. */
    GoogleNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 404,
         *         "message": "There is no video with the id video_5f0c2f4e. Videos are visible to keys of the owner that made them.",
         *         "status": "NOT_FOUND"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The `Idempotency-Key` was already used with another body. */
    GoogleConflict: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 409,
         *         "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request.",
         *         "status": "ABORTED"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The `Content-Type` is not one this endpoint reads. */
    GoogleUnsupportedMediaType: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 415,
         *         "message": "Content-Type is text/plain; this endpoint reads application/json.",
         *         "status": "INVALID_ARGUMENT"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description A limit of this key was reached: requests or tokens per minute, or concurrent requests. `retry-after` says when to come back. */
    GoogleRateLimited: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
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
         *         "code": 429,
         *         "message": "This key may make 600 requests per minute and has made them. Try again in 7 seconds.",
         *         "status": "RESOURCE_EXHAUSTED"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The gateway's own fault. Report the `x-request-id`. */
    GoogleInternal: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 500,
         *         "message": "Something went wrong in the gateway. Report the x-request-id of this reply.",
         *         "status": "INTERNAL"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description Described here, but not served by this deployment. */
    GoogleNotImplemented: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 501,
         *         "message": "This deployment does not serve this operation yet.",
         *         "status": "UNIMPLEMENTED"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description Every vendor for this model failed, was saturated or did not answer in time, or the gateway is shutting down. `retry-after` says when another try makes sense. */
    GoogleUnavailable: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'retry-after': components['headers']['RetryAfter'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 503,
         *         "message": "No vendor could serve doubao-seedance-2-0-fast just now. Try again in 7 seconds.",
         *         "status": "UNAVAILABLE"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The body is over 64 MB. */
    GoogleBodyTooLarge: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 413,
         *         "message": "The body is larger than 64 MB. Send large media by URL.",
         *         "status": "INVALID_ARGUMENT"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The body refers to an object at a vendor (a cached content, a file). No answer to a key of this owner and mode contained it. */
    GoogleStateNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "code": 404,
         *         "message": "cachedContent: 'cachedContents/8f2' was not found; it must come from an answer to one of your keys",
         *         "status": "NOT_FOUND"
         *       }
         *     }
         */
        'application/json': components['schemas']['GoogleError'];
      };
    };
    /** @description The vendor's own answer, refusals included, or an error of the gateway in the OpenAI form. */
    PassThroughAnswer: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-account': components['headers']['GatewayAccount'];
        'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
        'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
        'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
        [name: string]: unknown;
      };
      content: {
        'application/json': unknown;
        'text/event-stream': string;
        'application/octet-stream': Blob;
      };
    };
    /** @description The body, a parameter or a medium is wrong, the model code is unknown, or a content filter refused the input. The message names the place and what would be right. */
    TaskInvalidRequest: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "content[1].image_url.url is 200 x 200 pixels; each side must be 300 to 6000 pixels.",
         *         "type": "invalid_request_error",
         *         "param": "content[1].image_url.url",
         *         "code": null
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "invalid_api_key"
         *       },
         *       "code": "unauthenticated",
         *       "message": "This request carries no key. Send `Authorization: Bearer <key>`.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The key has no right to use this model or this address, or its balance or spend cap is used up (`insufficient_quota`). */
    TaskForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may not use the model gpt-5.2. Ask the owner of the key to add it.",
         *         "type": "invalid_request_error",
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
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
         *         "code": "rate_limit_exceeded"
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This deployment does not serve this operation yet.",
         *         "type": "invalid_request_error",
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This Idempotency-Key was used 3 minutes ago with a different body. Use a new key for a new request.",
         *         "type": "invalid_request_error",
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
    /** @description The key has no right to use this model, this address or this link. */
    TaskKeyForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may not use the model sora-2. Ask the owner of the key to add it.",
         *         "type": "invalid_request_error",
         *         "param": "model",
         *         "code": "forbidden"
         *       },
         *       "code": "forbidden",
         *       "message": "This key may not use the model sora-2. Ask the owner of the key to add it.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description A limit of this key was reached (`rate_limited`), or its balance or a spend cap is used up (`insufficient_quota`). It can also be that every vendor account for the model is at its own limit (`upstream_rate_limited`). If waiting helps, `retry-after` is present. */
    TaskTooMany: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'x-gateway-limit': components['headers']['GatewayLimit'];
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
        'application/json': components['schemas']['TaskError'];
      };
    };
    /**
     * @description Every vendor for the model failed, was unreachable or did not answer in time (an `upstream_…` code, `submission_unknown` or `unavailable`), or the gateway
     *     itself is at fault (`internal`).
     */
    TaskFailed: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
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
         *       },
         *       "code": "upstream_unavailable",
         *       "message": "No vendor could serve gpt-5.2 just now. Try again in 7 seconds.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description There is no such thing, or it belongs to somebody else. */
    TaskNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "There is no video with the id video_5f0c2f4e. Videos are visible to keys of the owner that made them.",
         *         "type": "invalid_request_error",
         *         "param": null,
         *         "code": "not_found"
         *       },
         *       "code": "not_found",
         *       "message": "There is no video with the id video_5f0c2f4e. Videos are visible to keys of the owner that made them.",
         *       "data": null
         *     }
         */
        'application/json': components['schemas']['TaskError'];
      };
    };
    /** @description The `Range` lies outside the file; `content-range` says how long it is. There is no body. */
    RangeNotSatisfiable: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        'content-range': components['headers']['ContentRange'];
        [name: string]: unknown;
      };
      content?: never;
    };
    /** @description The message, or its headers, are not what the protocol has. */
    McpInvalidRequest: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32602,
         *         "message": "params.name is missing or of the wrong type"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description No key came, or none that is known. */
    McpUnauthenticated: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "no key came with the request"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description The key has no right to do this. */
    McpForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "the balance is used up"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description There is no such server for this key, no such method, or the session is over. */
    McpNotFound: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "there is no MCP server 'docs' for this key"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description The body is larger than the gateway takes. */
    McpBodyTooLarge: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "the body is too large"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description The body is no JSON. */
    McpUnsupportedMediaType: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "the content-type is not accepted by this path"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description A limit of the key is reached. */
    McpRateLimited: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "the key may ask 60 times a minute"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description Something went wrong on our side. */
    McpInternal: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32603,
         *         "message": "something went wrong on our side"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description Nobody can answer at the moment. */
    McpUnavailable: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": null,
         *       "error": {
         *         "code": -32000,
         *         "message": "try again later"
         *       }
         *     }
         */
        'application/json': components['schemas']['McpMessage'];
      };
    };
    /** @description The key has no right to use this model, this address or this link. */
    OpenAiKeyForbidden: {
      headers: {
        'x-request-id': components['headers']['XRequestId'];
        'x-gateway-error-source': components['headers']['GatewayErrorSource'];
        [name: string]: unknown;
      };
      content: {
        /**
         * @example {
         *       "error": {
         *         "message": "This key may not use the model sora-2. Ask the owner of the key to add it.",
         *         "type": "invalid_request_error",
         *         "param": "model",
         *         "code": "forbidden"
         *       }
         *     }
         */
        'application/json': components['schemas']['OpenAiError'];
      };
    };
  };
  parameters: {
    /**
     * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
     *
     *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
     * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
     */
    IdempotencyKey: string;
    /**
     * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
     * @example 0.05
     */
    MaxCost: string;
    /**
     * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
     * @example 20
     */
    Timeout: string;
    /**
     * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
     * @example openai, anthropic
     */
    Vendors: string;
    /**
     * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
     * @example true
     */
    IncludeCost: 'true' | 'false';
    /**
     * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
     * @example true
     */
    NoFallback: string;
    /**
     * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
     * @example team=search, tier=gold
     */
    Tags: string;
    /**
     * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
     * @example u-42
     */
    User: string;
    /**
     * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
     * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
     */
    Session: string;
    /**
     * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
     * @example nightly-7
     */
    Run: string;
    /**
     * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
     *     Other words are refused with 400; for other models both are without effect.
     * @example refresh
     */
    Cache: 'no-store' | 'refresh';
    /**
     * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
     *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
     * @example message
     */
    OnLimit: 'error' | 'message';
    /**
     * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
     * @example true
     */
    Resumable: string;
    /**
     * @description The `id` of a chat completion that the gateway keeps.
     * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
     */
    CompletionId: string;
    /**
     * @description The `id` of a response that the gateway keeps.
     * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
     */
    ResponseId: string;
    /**
     * @description The `id` of a conversation.
     * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
     */
    ConversationId: string;
    /**
     * @description The `id` of an item.
     * @example msg_4b2e7f1a9c3d5e8f0a6b
     */
    ItemId: string;
    /**
     * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
     * @example 2023-06-01
     */
    AnthropicVersion: string;
    /**
     * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
     * @example files-api-2025-04-14
     */
    AnthropicBeta: string;
    /**
     * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
     * @example true
     */
    Beta: string;
    /**
     * @description The `id` of a batch.
     * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
     */
    BatchId: string;
    /**
     * @description The model code.
     * @example gemini-3.1-pro
     */
    ModelCode: string;
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
    /**
     * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
     * @example hk2v7q9x4m1t
     */
    CachedContentId: string;
    /**
     * @description `sse` for server-sent events, as the SDKs ask; without it a JSON array.
     * @example sse
     */
    Alt: 'sse' | 'json';
    /**
     * @description The `x-gateway-stream-id` of the answer.
     * @example stream_7Qm2vXc9TzL4kPbR8sWd1Nf6
     */
    StreamId: string;
    /**
     * @description The `id` of the last event that came; without it the stream is given from its beginning. Events are numbered 1, 2, 3 and so on.
     * @example 17
     */
    LastEventId: string;
    /**
     * @description The name of the account, as the operator tells it.
     * @example openai
     */
    PassThroughAccount: string;
    /**
     * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
     * @example files/file-abc123/content
     */
    PassThroughPath: string;
    /**
     * @description The priority of a video task among the tasks of its owner that wait for a vendor account (`accounts[].max_jobs`). The highest goes first, then the oldest. Other owners lose nothing. A value above the key's `max_priority` is a 403.
     * @example 0
     */
    Priority: number;
    /**
     * @description The `task_id` (or `id`) of an acknowledgement. Ids of every video family are accepted.
     * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
     */
    TaskId: string;
    /**
     * @description The `id` of an acknowledgement. Ids of every video family are accepted.
     * @example video_7d1e9c3b5a2f4d8e
     */
    VideoId: string;
    /**
     * @description What stands behind `operations/` in the `name` of the operation; the whole name is taken, too.
     * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
     */
    OperationId: string;
    /**
     * @description The form of the answer, for any caller: OpenAI's, Anthropic's or Google's.
     * @example openai
     */
    ModelFormat: 'openai' | 'anthropic' | 'gemini';
    /**
     * @description OpenAI's form: `true` also shows the other names of each model.
     * @example true
     */
    Aliases: boolean;
    /**
     * @description The `webhook-id` of the delivery.
     * @example msg_2c1d0e9f8a7b6c5d
     */
    DeliveryId: string;
    /**
     * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
     * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
     */
    UploadedFileId: string;
    /**
     * @description The id of the upload.
     * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
     */
    UploadId: string;
    /**
     * @description `resumable`, the only one here.
     * @example resumable
     */
    GoogUploadProtocol: string;
    /**
     * @description `start` to begin; then `upload`, `upload, finalize`, `finalize`, `query` or `cancel`.
     * @example upload, finalize
     */
    GoogUploadCommand: string;
    /**
     * @description The id of the file; part of the link.
     * @example file_4e1d7a0c9b8f
     */
    FileId: string;
    /**
     * @description The number of the key.
     * @example 7
     */
    KeyId: number;
    /**
     * @description The number of the owner.
     * @example 1
     */
    OwnerId: number;
    /**
     * @description The `x-request-id` of the request.
     * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
     */
    RequestId: string;
    /**
     * @description The number of the maintenance job.
     * @example 12
     */
    JobId: number;
    /**
     * @description The number of the account, the `channel_id` of task records.
     * @example 1
     */
    AccountId: number;
  };
  requestBodies: never;
  headers: {
    /**
     * @description The id of this request. It is in the logs and in the ledger; name it when something went wrong.
     * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
     */
    XRequestId: string;
    /**
     * @description Where the error comes from. `gateway`: the request, the key, its balance and its limits, or the gateway itself. `upstream`: a vendor's answer or its silence,
     *     or the vendors' accounts that the gateway has. It tells a vendor's 429 from a limit of the key in every error format.
     * @example upstream
     */
    GatewayErrorSource: 'gateway' | 'upstream';
    /**
     * @description Which limit of money or of a run was reached: `balance`, a limit of the key such as `spend_per_day` or `spend_per_run`, or `budget:` and the name of a budget. Other errors do not have it. An answer with status 200 has it if its text is the refusal, because the request asked for that with `x-gateway-on-limit: message`.
     * @example spend_per_run
     */
    GatewayLimit: string;
    /**
     * @description Seconds to wait before the same request can succeed. What a vendor asks for is passed on up to 300.
     * @example 7
     */
    RetryAfter: number;
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
     * @description The number of the vendor account that answered. It is the `channel_id` of a task record and names no secret.
     * @example 1
     */
    GatewayAccount: number;
    /**
     * @description When the vendor deprecated the model, as `@` and Unix seconds (RFC 9745). Only for deprecated models.
     * @example @1782864000
     */
    Deprecation: string;
    /**
     * @description When the vendor ends the model, as an HTTP date (RFC 8594). Only if that is known.
     * @example Wed, 30 Sep 2026 00:00:00 GMT
     */
    Sunset: string;
    /**
     * @description How many offers were tried, the successful one included.
     * @example 1
     */
    GatewayAttempts: number;
    /**
     * @description What the answer cost, in US dollars, as the ledger has it; of a test key what it would have cost. Absent on streams, whose last usage says it as `cost` where the request asks for it by
     *     `x-gateway-include-cost`, and where nothing was charged because nobody answered.
     * @example 0.000418
     */
    GatewayCost: string;
    /**
     * @description The vendor's own id of the request, for its support. The vendor's own limits come beside it, for example as `x-gateway-upstream-ratelimit-remaining-requests` and `x-gateway-upstream-anthropic-ratelimit-tokens-reset`. They are about the operator's account. The same names without `x-gateway-upstream` are about your key.
     * @example req_011CSHoEeqs5C35K2UUqR7Fy
     */
    GatewayUpstreamRequestId: string;
    /**
     * @description For a model with routes. It names the model that answered or was called last, how the request got there, and the strategy that chose it. The way is `own`, `route`, or the fallback: `on_error`, `on_context_too_long`, `on_content_refusal`.
     * @example claude-haiku-4-5; on_error
     */
    GatewayRoute: string;
    /** @description `hit`: the answer was kept from an earlier request of the same owner, and no vendor was asked. `miss`: it is a new one, and kept if it is whole. Only where answers like this one are kept. */
    GatewayCache: 'hit' | 'miss';
    /**
     * @description By what the stream is resumed. Only where it was asked for, with `x-gateway-resumable`.
     * @example stream_7Qm2vXc9TzL4kPbR8sWd1Nf6
     */
    GatewayStreamId: string;
    /**
     * @description Parameters that the answering vendor could not take, as a comma-separated list of paths such as `seed, messages[0].name`. Also headers that name an account of the caller's own (`openai-organization`). Absent when everything was carried.
     * @example seed
     */
    GatewayDropped: string;
    /**
     * @description The server read far less of the prompt than was sent, by the number of tokens that it reports. The header has this number and the gateway's estimate. Servers of the operator's own may drop the beginning of a conversation that is longer than their context.
     * @example read 4096 of about 12900 tokens
     */
    GatewayPromptTruncated: string;
    /**
     * @description Which guardrails of the operator found something, what they did (`seen`, `masked`, `refused`), where and what: `personal: masked in request (email)`; or which of them could not check the texts, which went on: `company: request not checked`. Never the text. What is found in a stream comes too late
     *     for its head.
     */
    GatewayGuardrails: string;
    /** @description `true` when tokens were estimated by the gateway, because the vendor did not count them. Absent otherwise; of a stream it is in the ledger only. */
    GatewayEstimated: 'true';
    /** @description `true` when this is a stored answer, replayed for an `Idempotency-Key` that was used before. Absent otherwise. */
    IdempotentReplayed: 'true';
    /**
     * @description The same id as in `x-request-id`, under the name that Anthropic's SDKs read.
     * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
     */
    AnthropicRequestId: string;
    /**
     * @description Always `bytes`.
     * @example bytes
     */
    AcceptRanges: string;
    /**
     * @description Bytes of this answer, where they are known.
     * @example 4100200
     */
    ContentLength: number;
    /**
     * @description The version of the file, where it is known.
     * @example "file_4e1d7a0c9b8f"
     */
    ETag: string;
    /**
     * @description Which part of the file this is.
     * @example bytes 0-1048575/4100200
     */
    ContentRange: string;
    /**
     * @description `active` while bytes are expected, `final` with the file, `cancelled` after it was given up.
     * @example active
     */
    GoogUploadStatus: string;
    /**
     * @description The id of the upload.
     * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
     */
    GoogUploadId: string;
    /**
     * @description Where the bytes are sent to, with the key again.
     * @example https://gateway.example/upload/v1beta/files/upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
     */
    GoogUploadUrl: string;
    /**
     * @description How many bytes have come.
     * @example 16
     */
    GoogUploadSizeReceived: string;
    /**
     * @description The session, for the browser alone; with `Max-Age=0` it is taken back. Nothing where no session is begun or ended.
     * @example gateway_session=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=86400
     */
    SessionCookie: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listChatCompletions: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 100; 20 without it.
         * @example 20
         */
        limit?: number;
        /**
         * @description The id of the last item of the page before.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        after?: string;
        /**
         * @description Oldest first without it.
         * @example desc
         */
        order?: 'asc' | 'desc';
        /**
         * @description Those of this model code alone.
         * @example claude-sonnet-5
         */
        model?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletionList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createChatCompletion: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
        /**
         * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
         * @example true
         */
        'x-gateway-resumable'?: components['parameters']['Resumable'];
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
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-prompt-truncated': components['headers']['GatewayPromptTruncated'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
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
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiTooMany'];
      500: components['responses']['OpenAiFailed'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getChatCompletion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a chat completion that the gateway keeps.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        completion_id: components['parameters']['CompletionId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletion'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  updateChatCompletion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a chat completion that the gateway keeps.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        completion_id: components['parameters']['CompletionId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChatCompletionUpdate'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletion'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  deleteChatCompletion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a chat completion that the gateway keeps.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        completion_id: components['parameters']['CompletionId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletionDeleted'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  listChatCompletionMessages: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 100; 20 without it.
         * @example 20
         */
        limit?: number;
        /**
         * @description The id of the last item of the page before.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b-0
         */
        after?: string;
        /**
         * @description Oldest first without it.
         * @example desc
         */
        order?: 'asc' | 'desc';
      };
      header?: never;
      path: {
        /**
         * @description The `id` of a chat completion that the gateway keeps.
         * @example chatcmpl-gw-7c1e9b3a5f2d4c8e6a0b
         */
        completion_id: components['parameters']['CompletionId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatStoredMessageList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createCompletion: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
        /**
         * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
         * @example true
         */
        'x-gateway-resumable'?: components['parameters']['Resumable'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CompletionRequest'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-prompt-truncated': components['headers']['GatewayPromptTruncated'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Completion'];
          'text/event-stream': components['schemas']['Completion'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiTooMany'];
      500: components['responses']['OpenAiFailed'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  connectResponses: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The connection is a WebSocket now. */
      101: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      /** @description The request does not ask for a WebSocket. */
      426: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": {
           *         "message": "GET /v1/responses opens a WebSocket: send Upgrade: websocket, or POST a request for an answer over HTTP.",
           *         "type": "invalid_request_error",
           *         "param": null,
           *         "code": null
           *       }
           *     }
           */
          'application/json': components['schemas']['OpenAiError'];
        };
      };
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createResponse: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
        /**
         * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
         * @example true
         */
        'x-gateway-resumable'?: components['parameters']['Resumable'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResponseRequest'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-prompt-truncated': components['headers']['GatewayPromptTruncated'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseReply'];
          'text/event-stream': components['schemas']['ResponseStreamEvent'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  compactResponse: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResponseCompactRequest'];
      };
    };
    responses: {
      /** @description The conversation, made short. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseCompaction'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  countResponseTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResponseCountRequest'];
      };
    };
    responses: {
      /** @description The number. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseCountReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getResponse: {
    parameters: {
      query?: {
        /**
         * @description True for the events of a response in the background, or of one that streams just now.
         * @example true
         */
        stream?: boolean;
        /**
         * @description The `sequence_number` of the last event received; events behind it are sent.
         * @example 42
         */
        starting_after?: number;
        /**
         * @description Taken for the SDKs' sake; a response is shown as it was answered.
         * @example [
         *       "reasoning.encrypted_content"
         *     ]
         */
        'include[]'?: string[];
        /**
         * @description Accepted because SDKs send it. Events are unchanged.
         * @example false
         */
        include_obfuscation?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The response. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseReply'];
          'text/event-stream': components['schemas']['ResponseStreamEvent'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  deleteResponse: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseDeleted'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  cancelResponse: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The response, cancelled or as it had ended. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  listResponseInputItems: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 100; 20 without it.
         * @example 20
         */
        limit?: number;
        /**
         * @description The id of the last item of the page before.
         * @example msg_4b2e7f1a9c3d5e8f0a6b
         */
        after?: string;
        /**
         * @description Newest first without it.
         * @example asc
         */
        order?: 'asc' | 'desc';
      };
      header?: never;
      path: {
        /**
         * @description The `id` of a response that the gateway keeps.
         * @example resp_gw_7c1e9b3a5f2d4c8e6a0b
         */
        response_id: components['parameters']['ResponseId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseItemList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createConversation: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConversationCreate'];
      };
    };
    responses: {
      /** @description The conversation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Conversation'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getConversation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The conversation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Conversation'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  updateConversation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConversationUpdate'];
      };
    };
    responses: {
      /** @description The conversation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Conversation'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  deleteConversation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConversationDeleted'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  listConversationItems: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 100; 20 without it.
         * @example 20
         */
        limit?: number;
        /**
         * @description The id of the last item of the page before.
         * @example msg_4b2e7f1a9c3d5e8f0a6b
         */
        after?: string;
        /**
         * @description Newest first without it.
         * @example asc
         */
        order?: 'asc' | 'desc';
      };
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseItemList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createConversationItems: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConversationItems'];
      };
    };
    responses: {
      /** @description What was added, with ids. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseItemList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getConversationItem: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
        /**
         * @description The `id` of an item.
         * @example msg_4b2e7f1a9c3d5e8f0a6b
         */
        item_id: components['parameters']['ItemId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The item. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ResponseKeptItem'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  deleteConversationItem: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a conversation.
         * @example conv_gw_3d5e8f0a6b4b2e7f1a9c
         */
        conversation_id: components['parameters']['ConversationId'];
        /**
         * @description The `id` of an item.
         * @example msg_4b2e7f1a9c3d5e8f0a6b
         */
        item_id: components['parameters']['ItemId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The conversation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Conversation'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createMessage: {
    parameters: {
      query?: {
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
      };
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
        /**
         * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
         * @example true
         */
        'x-gateway-resumable'?: components['parameters']['Resumable'];
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MessageRequest'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-prompt-truncated': components['headers']['GatewayPromptTruncated'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Message'];
          'text/event-stream': components['schemas']['MessageStreamEvent'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      409: components['responses']['AnthropicConflict'];
      413: components['responses']['AnthropicBodyTooLarge'];
      415: components['responses']['AnthropicUnsupportedMediaType'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  countMessageTokens: {
    parameters: {
      query?: {
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CountTokensRequest'];
      };
    };
    responses: {
      /** @description The number. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CountTokensReply'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      413: components['responses']['AnthropicBodyTooLarge'];
      415: components['responses']['AnthropicUnsupportedMediaType'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  listBatches: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 100; 20 without it.
         * @example 20
         */
        limit?: number;
        /**
         * @description The id of the last batch of the page before.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BatchList'] | components['schemas']['ContentBatchList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateBatch'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Batch'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getBatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Batch'] | components['schemas']['ContentBatchOperation'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  deleteContentBatchV1: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmptyBody'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  cancelBatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EmptyBody'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Batch'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  listMessageBatches: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 1000; 20 without it.
         * @example 20
         */
        limit?: number;
        /**
         * @description The `last_id` of the page before.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        after_id?: string;
        /**
         * @description The `first_id` of the page behind.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        before_id?: string;
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageBatchList'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  createMessageBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateMessageBatch'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageBatch'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      409: components['responses']['AnthropicConflict'];
      413: components['responses']['AnthropicBodyTooLarge'];
      415: components['responses']['AnthropicUnsupportedMediaType'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  getMessageBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageBatch'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  deleteMessageBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageBatchDeleted'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      409: components['responses']['AnthropicConflict'];
      415: components['responses']['AnthropicUnsupportedMediaType'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  cancelMessageBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EmptyBody'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MessageBatch'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      409: components['responses']['AnthropicConflict'];
      415: components['responses']['AnthropicUnsupportedMediaType'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  getMessageBatchResults: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The results. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'request-id': components['headers']['AnthropicRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/x-jsonl': components['schemas']['MessageBatchResult'];
        };
      };
      400: components['responses']['AnthropicInvalidRequest'];
      401: components['responses']['AnthropicUnauthenticated'];
      403: components['responses']['AnthropicForbidden'];
      404: components['responses']['AnthropicStateNotFound'];
      429: components['responses']['AnthropicRateLimited'];
      500: components['responses']['AnthropicInternal'];
      501: components['responses']['AnthropicNotImplemented'];
      503: components['responses']['AnthropicUnavailable'];
    };
  };
  createContentBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateContentBatch'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ContentBatchOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createEmbeddingBatch: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateContentBatch'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ContentBatchOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createEmbeddingBatchV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateContentBatch'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ContentBatchOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  listContentBatches: {
    parameters: {
      query?: {
        /**
         * @description How many at most, 1 to 1000; 50 without it.
         * @example 50
         */
        pageSize?: number;
        /**
         * @description The `nextPageToken` of the page before.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        pageToken?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ContentBatchList'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getContentBatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ContentBatchOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  deleteContentBatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmptyBody'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  cancelContentBatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EmptyBody'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmptyBody'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createContentBatchV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateContentBatch'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ContentBatchOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  cancelContentBatchV1: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of a batch.
         * @example batch_gw_7c1e9b3a5f2d4c8e6a0b
         */
        batch_id: components['parameters']['BatchId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['EmptyBody'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmptyBody'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  listCachedContents: {
    parameters: {
      query?: {
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContentList'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createCachedContent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CachedContentCreate'];
      };
    };
    responses: {
      /** @description It is kept. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContent'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getCachedContent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is known. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContent'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  deleteCachedContent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  updateCachedContent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CachedContentUpdate'];
      };
    };
    responses: {
      /** @description It is kept until then. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContent'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  listCachedContentsV1: {
    parameters: {
      query?: {
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContentList'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createCachedContentV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CachedContentCreate'];
      };
    };
    responses: {
      /** @description It is kept. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContent'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getCachedContentV1: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is known. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContent'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  deleteCachedContentV1: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  updateCachedContentV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description What stands behind `cachedContents/` in its `name`; the whole name is taken, too.
         * @example hk2v7q9x4m1t
         */
        cached_content_id: components['parameters']['CachedContentId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CachedContentUpdate'];
      };
    };
    responses: {
      /** @description It is kept until then. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CachedContent'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateContent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateContentRequest'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-prompt-truncated': components['headers']['GatewayPromptTruncated'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GenerateContentReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  streamGenerateContent: {
    parameters: {
      query?: {
        /**
         * @description `sse` for server-sent events, as the SDKs ask; without it a JSON array.
         * @example sse
         */
        alt?: components['parameters']['Alt'];
      };
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
        /**
         * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
         * @example true
         */
        'x-gateway-resumable'?: components['parameters']['Resumable'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateContentRequest'];
      };
    };
    responses: {
      /** @description The answer, piece by piece. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['GenerateContentReply'];
          /**
           * @example [
           *       {
           *         "candidates": [
           *           {
           *             "index": 0,
           *             "content": {
           *               "role": "model",
           *               "parts": [
           *                 {
           *                   "text": "High"
           *                 }
           *               ]
           *             }
           *           }
           *         ]
           *       },
           *       {
           *         "candidates": [
           *           {
           *             "index": 0,
           *             "content": {
           *               "role": "model",
           *               "parts": [
           *                 {
           *                   "text": " tide is at 14:32."
           *                 }
           *               ]
           *             },
           *             "finishReason": "STOP"
           *           }
           *         ],
           *         "usageMetadata": {
           *           "promptTokenCount": 12,
           *           "candidatesTokenCount": 9,
           *           "totalTokenCount": 21
           *         }
           *       }
           *     ]
           */
          'application/json': components['schemas']['GenerateContentReply'][];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  countContentTokens: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CountContentTokensRequest'];
      };
    };
    responses: {
      /** @description The number. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CountContentTokensReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateContentV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateContentRequest'];
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-prompt-truncated': components['headers']['GatewayPromptTruncated'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GenerateContentReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  streamGenerateContentV1: {
    parameters: {
      query?: {
        /**
         * @description `sse` for server-sent events, as the SDKs ask; without it a JSON array.
         * @example sse
         */
        alt?: components['parameters']['Alt'];
      };
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description Seconds until the answer must be there, of a stream until it must have begun; up to 3600. Then `upstream_timeout` is answered. It is charged as hanging up is: most vendors bill an answer to its end, so set a cap on its output to save money.
         * @example 20
         */
        'x-gateway-timeout'?: components['parameters']['Timeout'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
        /**
         * @description How a chat is told that a limit of its run, a spend limit, a budget or the balance is used up. `error` (the usual way): as an error. `message`: as the last message of the model, with status 200, no tool calls and no cost, so that agents end in an orderly way.
         *     `x-gateway-limit` names the limit in both cases. Other words are refused with 400.
         * @example message
         */
        'x-gateway-on-limit'?: components['parameters']['OnLimit'];
        /**
         * @description With `true`, you can resume a streamed answer. It has an `x-gateway-stream-id`, and each of its events an `id`. After a lost connection, `GET /v1/streams/{stream_id}` continues after the last event, for ten minutes after the end. The gateway reads and charges the vendor's answer to its end, even if no client is connected. Without a stream, or with a JSON array as the stream, it is a 400.
         * @example true
         */
        'x-gateway-resumable'?: components['parameters']['Resumable'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateContentRequest'];
      };
    };
    responses: {
      /** @description The answer, piece by piece. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-limit': components['headers']['GatewayLimit'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': components['schemas']['GenerateContentReply'];
          /**
           * @example [
           *       {
           *         "candidates": [
           *           {
           *             "index": 0,
           *             "content": {
           *               "role": "model",
           *               "parts": [
           *                 {
           *                   "text": "High"
           *                 }
           *               ]
           *             }
           *           }
           *         ]
           *       },
           *       {
           *         "candidates": [
           *           {
           *             "index": 0,
           *             "content": {
           *               "role": "model",
           *               "parts": [
           *                 {
           *                   "text": " tide is at 14:32."
           *                 }
           *               ]
           *             },
           *             "finishReason": "STOP"
           *           }
           *         ],
           *         "usageMetadata": {
           *           "promptTokenCount": 12,
           *           "candidatesTokenCount": 9,
           *           "totalTokenCount": 21
           *         }
           *       }
           *     ]
           */
          'application/json': components['schemas']['GenerateContentReply'][];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  countContentTokensV1: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CountContentTokensRequest'];
      };
    };
    responses: {
      /** @description The number. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CountContentTokensReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getStream: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The `id` of the last event that came; without it the stream is given from its beginning. Events are numbered 1, 2, 3 and so on.
         * @example 17
         */
        'Last-Event-ID'?: components['parameters']['LastEventId'];
      };
      path: {
        /**
         * @description The `x-gateway-stream-id` of the answer.
         * @example stream_7Qm2vXc9TzL4kPbR8sWd1Nf6
         */
        stream_id: components['parameters']['StreamId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events behind the last one that came. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-stream-id': components['headers']['GatewayStreamId'];
          [name: string]: unknown;
        };
        content: {
          'text/event-stream':
            | components['schemas']['ChatCompletionChunk']
            | components['schemas']['ResponseStreamEvent']
            | components['schemas']['MessageStreamEvent']
            | components['schemas']['GenerateContentReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createImage: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ImageRequest'];
      };
    };
    responses: {
      /** @description The pictures. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImageResult'] | components['schemas']['ImageTaskAcknowledgement'];
          'text/event-stream': components['schemas']['ImageStreamEvent'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  editImage: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "model": "gpt-image-2",
         *       "prompt": "Add a small sailing boat",
         *       "images": [
         *         {
         *           "image_url": "https://example.com/harbour.png"
         *         }
         *       ]
         *     }
         */
        'application/json': components['schemas']['ImageEditBody'];
        'multipart/form-data': components['schemas']['ImageEditForm'];
      };
    };
    responses: {
      /** @description The pictures. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImageDataResult'];
          'text/event-stream': components['schemas']['ImageStreamEvent'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createImageVariation: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['ImageVariationForm'];
      };
    };
    responses: {
      /** @description The pictures. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImageDataResult'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createSpeech: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SpeechRequest'];
      };
    };
    responses: {
      /** @description The audio. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'audio/wav': Blob;
          'audio/mpeg': Blob;
          'audio/pcm': Blob;
          'audio/opus': Blob;
          'audio/aac': Blob;
          'audio/flac': Blob;
          'text/event-stream': components['schemas']['SpeechStreamEvent'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createMusic: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['MusicRequest'];
      };
    };
    responses: {
      /** @description The audio. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'audio/wav': Blob;
          'audio/mpeg': Blob;
          'audio/pcm': Blob;
          'audio/opus': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createTranscription: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description With `true` the last usage of a stream has `cost`: US dollars, as the ledger has them. That event, and what follows it, leaves when the answer has been billed; a stream without usage says no cost.
         * @example true
         */
        'x-gateway-include-cost'?: components['parameters']['IncludeCost'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['TranscriptionForm'];
      };
    };
    responses: {
      /** @description The text, in the asked format. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Transcript'];
          'text/plain': string;
          'text/event-stream': components['schemas']['TranscriptStreamEvent'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createTranslation: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['TranslationForm'];
      };
    };
    responses: {
      /** @description The text, in the asked format. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Transcript'];
          'text/plain': string;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createEmbedding: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EmbeddingRequest'];
      };
    };
    responses: {
      /** @description One vector for each text, in the order of the texts. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmbeddingReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createEmbed: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EmbedRequest'];
      };
    };
    responses: {
      /** @description One vector for each text, in the order of the texts. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmbedReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createEmbedV2: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EmbedRequest'];
      };
    };
    responses: {
      /** @description One vector for each text, in the order of the texts. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmbedReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiStateNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  embedContent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EmbedContentRequest'];
      };
    };
    responses: {
      /** @description The vector. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmbedContentReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  batchEmbedContents: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BatchEmbedContentsRequest'];
      };
    };
    responses: {
      /** @description One vector for each content, in their order. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BatchEmbedContentsReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  embedContentV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EmbedContentRequest'];
      };
    };
    responses: {
      /** @description The vector. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EmbedContentReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  batchEmbedContentsV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description For models whose answers are kept (`cache` of the configuration). `no-store`: no kept answer is given, and this one is not kept. `refresh`: a vendor is asked, and its answer takes the place of the kept one.
         *     Other words are refused with 400; for other models both are without effect.
         * @example refresh
         */
        'x-gateway-cache'?: components['parameters']['Cache'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BatchEmbedContentsRequest'];
      };
    };
    responses: {
      /** @description One vector for each content, in their order. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-cache': components['headers']['GatewayCache'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BatchEmbedContentsReply'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleStateNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateImages: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PredictImagesRequest'];
      };
    };
    responses: {
      /** @description The pictures. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PredictedImages'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateImagesV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PredictImagesRequest'];
      };
    };
    responses: {
      /** @description The pictures. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PredictedImages'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateImagesVertex: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PredictImagesRequest'];
      };
    };
    responses: {
      /** @description The pictures. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PredictedImages'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createModeration: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ModerationRequest'];
      };
    };
    responses: {
      /** @description The results. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModerationReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createRerank: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RerankRequest'];
      };
    };
    responses: {
      /** @description The documents, the best first. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RerankReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createRerankV2: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RerankRequest'];
      };
    };
    responses: {
      /** @description The documents, the best first. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-cost': components['headers']['GatewayCost'];
          'x-gateway-upstream-request-id': components['headers']['GatewayUpstreamRequestId'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'x-gateway-guardrails': components['headers']['GatewayGuardrails'];
          'x-gateway-estimated': components['headers']['GatewayEstimated'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RerankReply'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  connectRealtime: {
    parameters: {
      query?: {
        /**
         * @description The model code. It may be left out with `intent=transcription`.
         * @example gpt-realtime-2
         */
        model?: string;
        /** @description `transcription` for a session that only transcribes. */
        intent?: 'transcription';
      };
      header?: {
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The connection is a WebSocket now. */
      101: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A response of the conversation has ended. In the log of requests each is told so; no client is answered it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      /** @description The request does not ask for a WebSocket. */
      426: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": {
           *         "message": "GET /v1/realtime opens a WebSocket: send Upgrade: websocket.",
           *         "type": "invalid_request_error",
           *         "param": null,
           *         "code": null
           *       }
           *     }
           */
          'application/json': components['schemas']['OpenAiError'];
        };
      };
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  connectGeminiLive: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The connection is a WebSocket now. */
      101: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A turn of the conversation has ended. In the log of requests each is told so; no client is answered it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      /** @description The request does not ask for a WebSocket. */
      426: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GoogleError'];
        };
      };
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  connectGeminiLiveV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The connection is a WebSocket now. */
      101: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description A turn of the conversation has ended. In the log of requests each is told so; no client is answered it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      /** @description The request does not ask for a WebSocket. */
      426: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GoogleError'];
        };
      };
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createRealtimeClientSecret: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RealtimeClientSecretRequest'];
      };
    };
    responses: {
      /** @description The client secret. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-limit-tokens': components['headers']['RateLimitLimitTokens'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-remaining-tokens': components['headers']['RateLimitRemainingTokens'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          'x-ratelimit-reset-tokens': components['headers']['RateLimitResetTokens'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RealtimeClientSecret'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getPassThrough: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the account, as the operator tells it.
         * @example openai
         */
        account: components['parameters']['PassThroughAccount'];
        /**
         * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
         * @example files/file-abc123/content
         */
        path: components['parameters']['PassThroughPath'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['PassThroughAnswer'];
      400: components['responses']['PassThroughAnswer'];
      401: components['responses']['OpenAiUnauthenticated'];
      500: components['responses']['PassThroughAnswer'];
      default: components['responses']['PassThroughAnswer'];
    };
  };
  putPassThrough: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the account, as the operator tells it.
         * @example openai
         */
        account: components['parameters']['PassThroughAccount'];
        /**
         * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
         * @example files/file-abc123/content
         */
        path: components['parameters']['PassThroughPath'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': unknown;
        'application/octet-stream': Blob;
      };
    };
    responses: {
      200: components['responses']['PassThroughAnswer'];
      400: components['responses']['PassThroughAnswer'];
      401: components['responses']['OpenAiUnauthenticated'];
      500: components['responses']['PassThroughAnswer'];
      default: components['responses']['PassThroughAnswer'];
    };
  };
  postPassThrough: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the account, as the operator tells it.
         * @example openai
         */
        account: components['parameters']['PassThroughAccount'];
        /**
         * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
         * @example files/file-abc123/content
         */
        path: components['parameters']['PassThroughPath'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': unknown;
        'application/octet-stream': Blob;
      };
    };
    responses: {
      200: components['responses']['PassThroughAnswer'];
      400: components['responses']['PassThroughAnswer'];
      401: components['responses']['OpenAiUnauthenticated'];
      500: components['responses']['PassThroughAnswer'];
      default: components['responses']['PassThroughAnswer'];
    };
  };
  deletePassThrough: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the account, as the operator tells it.
         * @example openai
         */
        account: components['parameters']['PassThroughAccount'];
        /**
         * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
         * @example files/file-abc123/content
         */
        path: components['parameters']['PassThroughPath'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components['responses']['PassThroughAnswer'];
      400: components['responses']['PassThroughAnswer'];
      401: components['responses']['OpenAiUnauthenticated'];
      500: components['responses']['PassThroughAnswer'];
      default: components['responses']['PassThroughAnswer'];
    };
  };
  patchPassThrough: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the account, as the operator tells it.
         * @example openai
         */
        account: components['parameters']['PassThroughAccount'];
        /**
         * @description The vendor's path with its slashes, below the base address of the account. Steps (`..`), empty segments and encoded slashes are a 400. A path that the operator has not opened is a 403.
         * @example files/file-abc123/content
         */
        path: components['parameters']['PassThroughPath'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': unknown;
        'application/octet-stream': Blob;
      };
    };
    responses: {
      200: components['responses']['PassThroughAnswer'];
      400: components['responses']['PassThroughAnswer'];
      401: components['responses']['OpenAiUnauthenticated'];
      500: components['responses']['PassThroughAnswer'];
      default: components['responses']['PassThroughAnswer'];
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
         * @description `desc` (without it) for the newest first, `asc` for the oldest.
         * @example desc
         */
        order?: 'asc' | 'desc';
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
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description The priority of a video task among the tasks of its owner that wait for a vendor account (`accounts[].max_jobs`). The highest goes first, then the oldest. Other owners lose nothing. A value above the key's `max_priority` is a 403.
         * @example 0
         */
        'x-gateway-priority'?: components['parameters']['Priority'];
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
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
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
         * @description Seconds to wait for the end of the task, 0 to 60; without it the answer comes at once.
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
          'application/json': components['schemas']['VideoTaskReply'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskForbidden'];
      409: components['responses']['TaskConflict'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskRateLimited'];
      500: components['responses']['TaskInternal'];
      501: components['responses']['TaskNotImplemented'];
      503: components['responses']['TaskUnavailable'];
    };
  };
  listVideos: {
    parameters: {
      query?: {
        /**
         * @description How many videos per page, 1 to 100; without it 20.
         * @example 20
         */
        limit?: number;
        /**
         * @description The `last_id` of the page before.
         * @example video_7d1e9c3b5a2f4d8e
         */
        after?: string;
        /**
         * @description `desc` (without it) for the newest first, `asc` for the oldest.
         * @example desc
         */
        order?: 'asc' | 'desc';
        /**
         * @description Only videos in this state.
         * @example completed
         */
        status?: 'queued' | 'in_progress' | 'completed' | 'failed';
        /**
         * @description Only videos of this model code.
         * @example sora-2
         */
        model?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of videos. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoList'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskKeyForbidden'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  createVideo: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description The priority of a video task among the tasks of its owner that wait for a vendor account (`accounts[].max_jobs`). The highest goes first, then the oldest. Other owners lose nothing. A value above the key's `max_priority` is a 403.
         * @example 0
         */
        'x-gateway-priority'?: components['parameters']['Priority'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VideoCreate'];
        'multipart/form-data': components['schemas']['VideoForm'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
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
      403: components['responses']['TaskKeyForbidden'];
      409: components['responses']['TaskConflict'];
      413: components['responses']['TaskBodyTooLarge'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  editVideo: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VideoEdit'];
        'multipart/form-data': {
          /** @description What is to be seen. */
          prompt: string;
          /** @description The finished video. */
          'video[id]'?: string;
        } & {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
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
      403: components['responses']['TaskKeyForbidden'];
      409: components['responses']['TaskConflict'];
      413: components['responses']['TaskBodyTooLarge'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  extendVideo: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VideoExtend'];
        'multipart/form-data': {
          /** @description What is to be seen. */
          prompt: string;
          /** @description The finished video. */
          'video[id]'?: string;
          /** @description How many seconds longer the video is to be. */
          seconds: string;
        } & {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
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
      403: components['responses']['TaskKeyForbidden'];
      409: components['responses']['TaskConflict'];
      413: components['responses']['TaskBodyTooLarge'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  remixVideo: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VideoRemix'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
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
      403: components['responses']['TaskKeyForbidden'];
      404: components['responses']['TaskNotFound'];
      409: components['responses']['TaskConflict'];
      413: components['responses']['TaskBodyTooLarge'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  getVideo: {
    parameters: {
      query?: {
        /**
         * @description Seconds to wait for the end of the task, 0 to 60; without it the answer comes at once.
         * @example 30
         */
        wait?: number;
      };
      header?: never;
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The video. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Video'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskKeyForbidden'];
      404: components['responses']['TaskNotFound'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  deleteVideo: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The video is deleted. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoDeleted'];
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskKeyForbidden'];
      404: components['responses']['TaskNotFound'];
      409: components['responses']['TaskConflict'];
      415: components['responses']['TaskUnsupportedMediaType'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  getVideoContent: {
    parameters: {
      query?: {
        /**
         * @description `video` (without it), or `thumbnail` or `spritesheet` where the vendor makes them; otherwise 404.
         * @example video
         */
        variant?: 'video' | 'thumbnail' | 'spritesheet';
        /**
         * @description Unix seconds until which a signed link works; part of the link.
         * @example 1790086400
         */
        expires?: number;
        /**
         * @description The signature of a signed link, in place of a key; part of the link.
         * @example 9b1c7e0f5a3d4c2b8e6f1a0d9c8b7a65
         */
        signature?: string;
      };
      header?: {
        /**
         * @description The part of the file to send, such as `bytes=0-1048575`. Several parts at once are not offered.
         * @example bytes=0-1048575
         */
        Range?: string;
      };
      path: {
        /**
         * @description The `id` of an acknowledgement. Ids of every video family are accepted.
         * @example video_7d1e9c3b5a2f4d8e
         */
        video_id: components['parameters']['VideoId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'video/mp4': Blob;
          'video/quicktime': Blob;
          'video/webm': Blob;
          'image/webp': Blob;
          'image/jpeg': Blob;
          'application/octet-stream': Blob;
        };
      };
      /** @description The asked part of the file. */
      206: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          'content-range': components['headers']['ContentRange'];
          [name: string]: unknown;
        };
        content: {
          'video/mp4': Blob;
          'video/quicktime': Blob;
          'video/webm': Blob;
          'image/webp': Blob;
          'image/jpeg': Blob;
          'application/octet-stream': Blob;
        };
      };
      400: components['responses']['TaskInvalidRequest'];
      401: components['responses']['TaskUnauthenticated'];
      403: components['responses']['TaskKeyForbidden'];
      404: components['responses']['TaskNotFound'];
      416: components['responses']['RangeNotSatisfiable'];
      429: components['responses']['TaskTooMany'];
      500: components['responses']['TaskFailed'];
      501: components['responses']['TaskNotImplemented'];
    };
  };
  generateVideos: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description The priority of a video task among the tasks of its owner that wait for a vendor account (`accounts[].max_jobs`). The highest goes first, then the oldest. Other owners lose nothing. A value above the key's `max_priority` is a 403.
         * @example 0
         */
        'x-gateway-priority'?: components['parameters']['Priority'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateVideosRequest'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateVideosV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description The priority of a video task among the tasks of its owner that wait for a vendor account (`accounts[].max_jobs`). The highest goes first, then the oldest. Other owners lose nothing. A value above the key's `max_priority` is a 403.
         * @example 0
         */
        'x-gateway-priority'?: components['parameters']['Priority'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateVideosRequest'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getVideoOperation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
        /**
         * @description What stands behind `operations/` in the `name` of the operation; the whole name is taken, too.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        operation_id: components['parameters']['OperationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The operation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getVideoOperationV1: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
        /**
         * @description What stands behind `operations/` in the `name` of the operation; the whole name is taken, too.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        operation_id: components['parameters']['OperationId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The operation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  generateVideosVertex: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
        /**
         * @description The most that the request can cost, in US dollars. The gateway does not call models and accounts that can cost more. If there are no others, it refuses the request with 400 before it calls a vendor.
         * @example 0.05
         */
        'x-gateway-max-cost'?: components['parameters']['MaxCost'];
        /**
         * @description The vendors to use, or with `-` before them the vendors to avoid, separated by commas. Use the vendor names of the gateway's configuration.
         * @example openai, anthropic
         */
        'x-gateway-vendors'?: components['parameters']['Vendors'];
        /**
         * @description With `true` the request goes to the first model that it is routed to and to no other, by any account of it.
         * @example true
         */
        'x-gateway-no-fallback'?: components['parameters']['NoFallback'];
        /**
         * @description Tags for the conditions of routes, up to 16, beside the texts in the body's `metadata` and before them.
         * @example team=search, tier=gold
         */
        'x-gateway-tags'?: components['parameters']['Tags'];
        /**
         * @description Whom the request is for. Usage and the log of requests can be read by it. If the key has a tag `user`, that one counts.
         * @example u-42
         */
        'x-gateway-user'?: components['parameters']['User'];
        /**
         * @description The conversation that the request belongs to. Agents send ids of their own, which the gateway takes without this header.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        'x-gateway-session'?: components['parameters']['Session'];
        /**
         * @description The task that the request belongs to, such as one run of an agent. Without it the session is the run.
         * @example nightly-7
         */
        'x-gateway-run'?: components['parameters']['Run'];
        /**
         * @description The priority of a video task among the tasks of its owner that wait for a vendor account (`accounts[].max_jobs`). The highest goes first, then the oldest. Other owners lose nothing. A value above the key's `max_priority` is a 403.
         * @example 0
         */
        'x-gateway-priority'?: components['parameters']['Priority'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GenerateVideosRequest'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-route': components['headers']['GatewayRoute'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  fetchVideoOperation: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['FetchVideoOperation'];
      };
    };
    responses: {
      /** @description The operation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VideoOperation'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  createSubject: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SubjectCreate'];
      };
    };
    responses: {
      /** @description The task is stored. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-gateway-account': components['headers']['GatewayAccount'];
          deprecation: components['headers']['Deprecation'];
          sunset: components['headers']['Sunset'];
          'x-gateway-attempts': components['headers']['GatewayAttempts'];
          'x-gateway-dropped': components['headers']['GatewayDropped'];
          'idempotent-replayed': components['headers']['IdempotentReplayed'];
          'x-ratelimit-limit-requests': components['headers']['RateLimitLimitRequests'];
          'x-ratelimit-remaining-requests': components['headers']['RateLimitRemainingRequests'];
          'x-ratelimit-reset-requests': components['headers']['RateLimitResetRequests'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubjectAcknowledgement'];
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
  getSubject: {
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
      /** @description The subject task. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubjectReply'];
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
  callMcp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['McpMessage'];
      };
    };
    responses: {
      /** @description The answer, or a stream whose last message it is. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpMessage'];
          'text/event-stream': components['schemas']['McpMessage'];
        };
      };
      /** @description A notification was taken. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['McpInvalidRequest'];
      401: components['responses']['McpUnauthenticated'];
      403: components['responses']['McpForbidden'];
      404: components['responses']['McpNotFound'];
      413: components['responses']['McpBodyTooLarge'];
      415: components['responses']['McpUnsupportedMediaType'];
      429: components['responses']['McpRateLimited'];
      500: components['responses']['McpInternal'];
      503: components['responses']['McpUnavailable'];
    };
  };
  callMcpServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the server. */
        server: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['McpMessage'];
      };
    };
    responses: {
      /** @description The answer, or a stream whose last message it is. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpMessage'];
          'text/event-stream': components['schemas']['McpMessage'];
        };
      };
      /** @description A notification was taken. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['McpInvalidRequest'];
      401: components['responses']['McpUnauthenticated'];
      403: components['responses']['McpForbidden'];
      404: components['responses']['McpNotFound'];
      413: components['responses']['McpBodyTooLarge'];
      415: components['responses']['McpUnsupportedMediaType'];
      429: components['responses']['McpRateLimited'];
      500: components['responses']['McpInternal'];
      503: components['responses']['McpUnavailable'];
    };
  };
  getMcpMetadata: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpResourceMetadata'];
        };
      };
      404: components['responses']['OpenAiNotFound'];
    };
  };
  getMcpServerMetadata: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of the server. */
        server: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpResourceMetadata'];
        };
      };
      404: components['responses']['OpenAiNotFound'];
    };
  };
  listModels: {
    parameters: {
      query?: {
        /**
         * @description The form of the answer, for any caller: OpenAI's, Anthropic's or Google's.
         * @example openai
         */
        format?: components['parameters']['ModelFormat'];
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
        /**
         * @description OpenAI's form: `true` also shows the other names of each model.
         * @example true
         */
        aliases?: components['parameters']['Aliases'];
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
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
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
  getModel: {
    parameters: {
      query?: {
        /**
         * @description The form of the answer, for any caller: OpenAI's, Anthropic's or Google's.
         * @example openai
         */
        format?: components['parameters']['ModelFormat'];
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
        /**
         * @description OpenAI's form: `true` also shows the other names of each model.
         * @example true
         */
        aliases?: components['parameters']['Aliases'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The model. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['CatalogueModel']
            | components['schemas']['AnthropicModel']
            | components['schemas']['GeminiModel'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listGeminiModels: {
    parameters: {
      query?: {
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
      header?: never;
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
          'application/json': components['schemas']['GeminiModelList'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
    };
  };
  getGeminiModel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The model code.
         * @example gemini-3.1-pro
         */
        model: components['parameters']['ModelCode'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The model. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiModel'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
    };
  };
  createEstimate: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['EstimateRequest'];
      };
    };
    responses: {
      /** @description The quote. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Estimate'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getMe: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key and its owner. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Me'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOwnUsage: {
    parameters: {
      query?: {
        /**
         * @description Start, RFC 3339; without it 30 days before the end.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description End, RFC 3339, not included; without it now.
         * @example 2026-12-01T00:00:00Z
         */
        to?: string;
        /**
         * @description By what to break it down, separated by commas; without it `day`.
         * @example [
         *       "day",
         *       "model"
         *     ]
         */
        group_by?: ('day' | 'model' | 'key' | 'project' | 'user' | 'session' | 'run' | 'endpoint' | 'tag')[];
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description The name of the tag that `group_by=tag` groups by, such as `team` of `x-gateway-tags`.
         * @example team
         */
        tag?: string;
        /**
         * @description Only for this user.
         * @example u-42
         */
        user?: string;
        /**
         * @description Only in this session.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        session?: string;
        /**
         * @description Only of this run.
         * @example nightly-7
         */
        run?: string;
        /**
         * @description Only so many groups, those with the highest charges first. `total` is still the sum of all.
         * @example 50
         */
        top?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The report. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageReport'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOwnOverview: {
    parameters: {
      query?: {
        /**
         * @description Start, RFC 3339; without it one hour before the end. Rounded down to a step.
         * @example 2026-11-21T08:00:00Z
         */
        from?: string;
        /**
         * @description End, RFC 3339, not included; without it now.
         * @example 2026-11-21T09:00:00Z
         */
        to?: string;
        /**
         * @description Seconds per bucket, a multiple of 60, for at most 500 buckets. The default is the smallest of a minute, 5 minutes, an hour, 6 hours and a day with at most 100 buckets. The gateway keeps buckets below an hour for two days, and hours for 400 days.
         * @example 60
         */
        step?: number;
        /**
         * @description True for the sums of the period before, of the same length, too.
         * @example true
         */
        compare?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The overview. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Overview'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listOwnRequests: {
    parameters: {
      query?: {
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description Only what asked for this model code.
         * @example gpt-5.2
         */
        model?: string;
        /**
         * @description Only of this kind of model.
         * @example chat
         */
        kind?: components['schemas']['ModelKind'];
        /**
         * @description Only with a status of this class.
         * @example 5xx
         */
        status?: '2xx' | '4xx' | '5xx';
        /**
         * @description Only with this error code, or with the word that callers know it by, such as `rate_limit_exceeded` or `permission_error`.
         * @example upstream_timeout
         */
        error?: string;
        /**
         * @description Only with this tag, as `name=value`.
         * @example team=search
         */
        tag?: string;
        /**
         * @description Only for this user.
         * @example u-42
         */
        user?: string;
        /**
         * @description Only in this session.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        session?: string;
        /**
         * @description Only of this run.
         * @example nightly-7
         */
        run?: string;
        /**
         * @description Not before, RFC 3339.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description Before, RFC 3339; without it now.
         * @example 2026-12-01T00:00:00Z
         */
        to?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example req_01JD8X9A7K5QG4T9W2N7V3B1MD
         */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of requests. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOwnRequest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the answer.
         * @example req_01JD8X9A7K5QG4T9W2N7V3B1MD
         */
        request_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestDetail'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOwnStatement: {
    parameters: {
      query?: {
        /**
         * @description Start, RFC 3339; without it the beginning of the month (UTC) in which the period ends.
         * @example 2026-10-01T00:00:00Z
         */
        from?: string;
        /**
         * @description End, RFC 3339, not included; without it, and at the latest, now.
         * @example 2026-11-01T00:00:00Z
         */
        to?: string;
        /**
         * @description `csv` for a spreadsheet; without it `json`.
         * @example json
         */
        format?: 'json' | 'csv';
        /**
         * @description `requests` has a line for every charge; without it charges have one line for each day and group.
         * @example days
         */
        detail?: 'days' | 'requests';
        /**
         * @description By what to split the charges of each day, separated by commas; without it `model`. It cannot be combined with `detail=requests`. A statement has at most 50,000 lines by day.
         * @example [
         *       "project",
         *       "model"
         *     ]
         */
        group_by?: components['schemas']['StatementGroup'][];
        /**
         * @description The name of the tag whose values the lines have as `tag`, such as `team` of `x-gateway-tags`. `group_by=tag` needs it.
         * @example team
         */
        tag?: string;
        /**
         * @description `true` shows holds and releases too.
         * @example false
         */
        holds?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statement. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Statement'];
          'text/csv': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listOwnLedgerEntries: {
    parameters: {
      query?: {
        /**
         * @description Only of this request.
         * @example req_01JD8X9A7K5QG4T9W2N7V3B1MD
         */
        request_id?: string;
        /**
         * @description Only of this task.
         * @example task_0a1b2c3d4e5f60718293a4b5c6d7e8f9
         */
        task_id?: string;
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description Only of this kind.
         * @example capture
         */
        kind?: 'hold' | 'capture' | 'release' | 'topup' | 'adjust';
        /**
         * @description Only of this model.
         * @example gpt-5.2
         */
        model?: string;
        /**
         * @description Only from this time on, RFC 3339.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description Only before this time, RFC 3339.
         * @example 2026-12-01T00:00:00Z
         */
        to?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 31
         */
        after?: number;
        /**
         * @description `csv` answers every line that the filters leave, oldest first, as a file; `limit` and `after` do not apply. Without it `json`.
         * @example json
         */
        format?: 'json' | 'csv';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the ledger. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LedgerEntryList'];
          'text/csv': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listOwnWebhookDeliveries: {
    parameters: {
      query?: {
        /**
         * @description Only of this task.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        task_id?: string;
        /**
         * @description True for those still to be delivered.
         * @example true
         */
        pending?: boolean;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example msg_2c1d0e9f8a7b6c5d
         */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of deliveries. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveryList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  replayOwnWebhookDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `webhook-id` of the delivery.
         * @example msg_2c1d0e9f8a7b6c5d
         */
        delivery_id: components['parameters']['DeliveryId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery is due. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDelivery'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listFiles: {
    parameters: {
      query?: {
        /**
         * @description The form of the answer, for any caller: OpenAI's, Anthropic's or Google's.
         * @example openai
         */
        format?: components['parameters']['ModelFormat'];
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
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
        /**
         * @description Only files of this purpose.
         * @example batch
         */
        purpose?: string;
        /**
         * @description How many files a page has at most.
         * @example 100
         */
        limit?: number;
        /**
         * @description By when they were created; `desc` without it.
         * @example desc
         */
        order?: 'asc' | 'desc';
        /**
         * @description The id of the last file of the page before.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        after?: string;
        /**
         * @description Anthropic's form: the `last_id` of the page before.
         * @example file_gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        after_id?: string;
        /**
         * @description Anthropic's form: the `next_page` of the page before.
         * @example file_gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        page?: string;
        /**
         * @description Anthropic's form: the `first_id` of the page after.
         * @example file_gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        before_id?: string;
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['FileList']
            | components['schemas']['AnthropicFileList']
            | components['schemas']['GeminiFileList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  uploadFile: {
    parameters: {
      query?: {
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['FileForm'];
      };
    };
    responses: {
      /** @description The file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['File'] | components['schemas']['AnthropicFile'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getUploadedFile: {
    parameters: {
      query?: {
        /**
         * @description The form of the answer, for any caller: OpenAI's, Anthropic's or Google's.
         * @example openai
         */
        format?: components['parameters']['ModelFormat'];
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['File']
            | components['schemas']['AnthropicFile']
            | components['schemas']['GeminiFile'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  deleteFile: {
    parameters: {
      query?: {
        /**
         * @description The form of the answer, for any caller: OpenAI's, Anthropic's or Google's.
         * @example openai
         */
        format?: components['parameters']['ModelFormat'];
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
      };
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['FileDeleted']
            | components['schemas']['AnthropicFileDeleted']
            | components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  downloadFile: {
    parameters: {
      query?: {
        /**
         * @description Sent by the beta calls of Anthropic's SDK, as `true`. Accepted and without effect.
         * @example true
         */
        beta?: components['parameters']['Beta'];
      };
      header?: {
        /**
         * @description The version of Anthropic's API the caller speaks, such as `2023-06-01` or `2026-10-21`. Sent by its SDK; passed on to Anthropic.
         * @example 2023-06-01
         */
        'anthropic-version'?: components['parameters']['AnthropicVersion'];
        /**
         * @description Beta features, separated by commas. The gateway passes them on to Anthropic only. If a feature changes prices, or the gateway does not know it, the model needs a price for it. Otherwise the gateway leaves it out and names it in `x-gateway-dropped`.
         * @example files-api-2025-04-14
         */
        'anthropic-beta'?: components['parameters']['AnthropicBeta'];
        /**
         * @description The part of the file to send, such as `bytes=0-1048575`. Several parts at once are not offered.
         * @example bytes=0-1048575
         */
        Range?: string;
      };
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': Blob;
          'application/pdf': Blob;
          'text/plain': Blob;
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'audio/mpeg': Blob;
        };
      };
      /** @description The asked part of the file. */
      206: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          'content-range': components['headers']['ContentRange'];
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': Blob;
          'application/pdf': Blob;
          'text/plain': Blob;
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'audio/mpeg': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      416: components['responses']['RangeNotSatisfiable'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createUpload: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UploadCreate'];
      };
    };
    responses: {
      /** @description The upload. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  createUploadPart: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['UploadPartForm'];
      };
    };
    responses: {
      /** @description The part. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UploadPart'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  completeUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UploadComplete'];
      };
    };
    responses: {
      /** @description The upload with its file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  cancelUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The upload. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Upload'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  startGeminiUpload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description `resumable`, the only one here.
         * @example resumable
         */
        'x-goog-upload-protocol'?: components['parameters']['GoogUploadProtocol'];
        /**
         * @description `start` to begin; then `upload`, `upload, finalize`, `finalize`, `query` or `cancel`.
         * @example upload, finalize
         */
        'x-goog-upload-command'?: components['parameters']['GoogUploadCommand'];
        /**
         * @description The size of the file.
         * @example 16
         */
        'x-goog-upload-header-content-length'?: string;
        /**
         * @description The type of the file.
         * @example text/plain
         */
        'x-goog-upload-header-content-type'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GeminiUploadStart'];
      };
    };
    responses: {
      /** @description Where the bytes are sent to, in `x-goog-upload-url`. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-goog-upload-status': components['headers']['GoogUploadStatus'];
          'x-guploader-uploadid': components['headers']['GoogUploadId'];
          'x-goog-upload-url': components['headers']['GoogUploadUrl'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  sendGeminiUpload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description `start` to begin; then `upload`, `upload, finalize`, `finalize`, `query` or `cancel`.
         * @example upload, finalize
         */
        'x-goog-upload-command'?: components['parameters']['GoogUploadCommand'];
        /**
         * @description Where the body begins in the file.
         * @example 0
         */
        'x-goog-upload-offset'?: string;
      };
      path: {
        /**
         * @description The id of the upload.
         * @example upload_gw3d5e8f0a6b4b2e7f1a9c3d5e8f0a6b4b
         */
        upload_id: components['parameters']['UploadId'];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/octet-stream': Blob;
      };
    };
    responses: {
      /** @description The file with the last bytes; nothing before. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-goog-upload-status': components['headers']['GoogUploadStatus'];
          'x-goog-upload-url': components['headers']['GoogUploadUrl'];
          'x-goog-upload-size-received': components['headers']['GoogUploadSizeReceived'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      409: components['responses']['GoogleConflict'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  startGeminiUploadV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description `resumable`, the only one here.
         * @example resumable
         */
        'x-goog-upload-protocol'?: components['parameters']['GoogUploadProtocol'];
        /**
         * @description `start` to begin; then `upload`, `upload, finalize`, `finalize`, `query` or `cancel`.
         * @example upload, finalize
         */
        'x-goog-upload-command'?: components['parameters']['GoogUploadCommand'];
        /**
         * @description The size of the file.
         * @example 16
         */
        'x-goog-upload-header-content-length'?: string;
        /**
         * @description The type of the file.
         * @example text/plain
         */
        'x-goog-upload-header-content-type'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GeminiUploadStart'];
      };
    };
    responses: {
      /** @description Where the bytes are sent to, in `x-goog-upload-url`. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'x-goog-upload-status': components['headers']['GoogUploadStatus'];
          'x-guploader-uploadid': components['headers']['GoogUploadId'];
          'x-goog-upload-url': components['headers']['GoogUploadUrl'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      413: components['responses']['GoogleBodyTooLarge'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  downloadGeminiFileV1: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The part of the file to send, such as `bytes=0-1048575`. Several parts at once are not offered.
         * @example bytes=0-1048575
         */
        Range?: string;
      };
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': Blob;
          'application/pdf': Blob;
          'text/plain': Blob;
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'audio/mpeg': Blob;
        };
      };
      /** @description The asked part of the file. */
      206: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          'content-range': components['headers']['ContentRange'];
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': Blob;
          'application/pdf': Blob;
          'text/plain': Blob;
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'audio/mpeg': Blob;
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      416: components['responses']['RangeNotSatisfiable'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  listGeminiFiles: {
    parameters: {
      query?: {
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
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiFileList'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getGeminiFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiFile'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  deleteGeminiFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It is gone. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GeminiUploaded'];
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      415: components['responses']['GoogleUnsupportedMediaType'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  downloadGeminiFile: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The part of the file to send, such as `bytes=0-1048575`. Several parts at once are not offered.
         * @example bytes=0-1048575
         */
        Range?: string;
      };
      path: {
        /**
         * @description The id of the file, as the upload has answered it; `file-gw…`, `file_gw…` and `gw…` are the same file.
         * @example file-gw4b2e7f1a9c3d5e8f0a6b4b2e7f1a9c3d
         */
        uploaded_file_id: components['parameters']['UploadedFileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': Blob;
          'application/pdf': Blob;
          'text/plain': Blob;
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'audio/mpeg': Blob;
        };
      };
      /** @description The asked part of the file. */
      206: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          'content-range': components['headers']['ContentRange'];
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': Blob;
          'application/pdf': Blob;
          'text/plain': Blob;
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'audio/mpeg': Blob;
        };
      };
      400: components['responses']['GoogleInvalidRequest'];
      401: components['responses']['GoogleUnauthenticated'];
      403: components['responses']['GoogleForbidden'];
      404: components['responses']['GoogleNotFound'];
      416: components['responses']['RangeNotSatisfiable'];
      429: components['responses']['GoogleRateLimited'];
      500: components['responses']['GoogleInternal'];
      501: components['responses']['GoogleNotImplemented'];
      503: components['responses']['GoogleUnavailable'];
    };
  };
  getFile: {
    parameters: {
      query: {
        /**
         * @description Unix seconds until which a signed link works; part of the link.
         * @example 1790086400
         */
        expires: number;
        /**
         * @description The signature of a signed link, in place of a key; part of the link.
         * @example 9b1c7e0f5a3d4c2b8e6f1a0d9c8b7a65
         */
        signature: string;
      };
      header?: {
        /**
         * @description The part of the file to send, such as `bytes=0-1048575`. Several parts at once are not offered.
         * @example bytes=0-1048575
         */
        Range?: string;
      };
      path: {
        /**
         * @description The id of the file; part of the link.
         * @example file_4e1d7a0c9b8f
         */
        file_id: components['parameters']['FileId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'application/octet-stream': Blob;
        };
      };
      /** @description The asked part of the file. */
      206: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          'content-range': components['headers']['ContentRange'];
          [name: string]: unknown;
        };
        content: {
          'image/png': Blob;
          'image/jpeg': Blob;
          'image/webp': Blob;
          'video/mp4': Blob;
          'audio/wav': Blob;
          'application/octet-stream': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      416: components['responses']['RangeNotSatisfiable'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  receiveVendorWebhook: {
    parameters: {
      query: {
        /**
         * @description Unix seconds until which the address works; part of the address.
         * @example 1790086400
         */
        expires: number;
        /**
         * @description The gateway's own signature of the address; part of the address.
         * @example 9b1c7e0f5a3d4c2b8e6f1a0d9c8b7a65
         */
        signature: string;
      };
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
    /** @description What the vendor says, in its own words and at most 1 MB. It is checked against the vendor's signature and then thrown away. */
    requestBody?: {
      content: {
        'application/json': unknown;
        'application/octet-stream': Blob;
      };
    };
    responses: {
      /** @description The webhook was taken. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VendorWebhookTaken'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  getConsoleSignIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The ways. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsoleSignIn'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getConsoleSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Who is signed in. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsoleIdentity'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  createConsoleSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConsoleSessionCreate'];
      };
    };
    responses: {
      /** @description The session. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'set-cookie': components['headers']['SessionCookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsoleIdentity'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  deleteConsoleSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It has ended. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'set-cookie': components['headers']['SessionCookie'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsoleSessionEnded'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listConsoleSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The sessions. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsoleSessionList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  revokeConsoleSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The session.
         * @example cs_4TfQm0Zs1b9XkR7u
         */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It has ended. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConsoleSessionEnded'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listKeys: {
    parameters: {
      query?: {
        /**
         * @description Only those whose name has this in it, in capitals or not.
         * @example research
         */
        name?: string;
        /**
         * @description Only of this owner.
         * @example 1
         */
        owner_id?: number;
        /**
         * @description Only those with this tag, as `name=value`.
         * @example team=search
         */
        tag?: string;
        /**
         * @description True to see revoked keys too.
         * @example false
         */
        include_revoked?: boolean;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 7
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of keys. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  createKey: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['KeyCreate'];
      };
    };
    responses: {
      /** @description The key is made. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyCreated'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Key'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  revokeKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key is revoked. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Key'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  updateKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['KeyUpdate'];
      };
    };
    responses: {
      /** @description The key is changed. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Key'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getKeyLimits: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The limits that the key has. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyLimitUse'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  rotateKey: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The number of the key.
         * @example 7
         */
        key_id: components['parameters']['KeyId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['KeyRotate'];
      };
    };
    responses: {
      /** @description The new key is made. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyCreated'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listOwners: {
    parameters: {
      query?: {
        /**
         * @description Only those whose name has this in it, in capitals or not.
         * @example research
         */
        name?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 1
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of owners. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OwnerList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  createOwner: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OwnerCreate'];
      };
    };
    responses: {
      /** @description The owner is made. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Owner'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOwner: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The owner. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Owner'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  updateOwner: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OwnerUpdate'];
      };
    };
    responses: {
      /** @description The owner is changed. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Owner'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  topUpOwner: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TopUp'];
      };
    };
    responses: {
      /** @description The money is added. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BalanceChange'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  adjustOwner: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Adjustment'];
      };
    };
    responses: {
      /** @description The correction is written. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BalanceChange'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOwnerStatement: {
    parameters: {
      query?: {
        /**
         * @description Start, RFC 3339; without it the beginning of the month (UTC) in which the period ends.
         * @example 2026-10-01T00:00:00Z
         */
        from?: string;
        /**
         * @description End, RFC 3339, not included; without it, and at the latest, now.
         * @example 2026-11-01T00:00:00Z
         */
        to?: string;
        /**
         * @description `csv` for a spreadsheet; without it `json`.
         * @example json
         */
        format?: 'json' | 'csv';
        /**
         * @description `requests` has a line for every charge; without it charges have one line for each day and group.
         * @example days
         */
        detail?: 'days' | 'requests';
        /**
         * @description By what to split the charges of each day, separated by commas; without it `model`. It cannot be combined with `detail=requests`. A statement has at most 50,000 lines by day.
         * @example [
         *       "project",
         *       "model"
         *     ]
         */
        group_by?: components['schemas']['StatementGroup'][];
        /**
         * @description The name of the tag whose values the lines have as `tag`, such as `team` of `x-gateway-tags`. `group_by=tag` needs it.
         * @example team
         */
        tag?: string;
        /**
         * @description `true` shows holds and releases too.
         * @example false
         */
        holds?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description The number of the owner.
         * @example 1
         */
        owner_id: components['parameters']['OwnerId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statement. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Statement'];
          'text/csv': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getUsage: {
    parameters: {
      query?: {
        /**
         * @description Start, RFC 3339; without it 30 days before the end.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description End, RFC 3339, not included; without it now.
         * @example 2026-12-01T00:00:00Z
         */
        to?: string;
        /**
         * @description By what to break it down, separated by commas; without it `day`.
         * @example [
         *       "day",
         *       "model"
         *     ]
         */
        group_by?: components['schemas']['UsageGroup'][];
        /**
         * @description Of live or of test keys; without it `live`.
         * @example live
         */
        mode?: 'live' | 'test';
        /**
         * @description Only of this owner.
         * @example 1
         */
        owner_id?: number;
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description The name of the tag that `group_by=tag` groups by, such as `team` of `x-gateway-tags`.
         * @example team
         */
        tag?: string;
        /**
         * @description Only for this user.
         * @example u-42
         */
        user?: string;
        /**
         * @description Only in this session.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        session?: string;
        /**
         * @description Only of this run.
         * @example nightly-7
         */
        run?: string;
        /**
         * @description Only so many groups, those with the highest charges first. `total` is still the sum of all.
         * @example 50
         */
        top?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The report. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UsageReport'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getOverview: {
    parameters: {
      query?: {
        /**
         * @description Start, RFC 3339; without it one hour before the end. Rounded down to a step.
         * @example 2026-11-21T08:00:00Z
         */
        from?: string;
        /**
         * @description End, RFC 3339, not included; without it now.
         * @example 2026-11-21T09:00:00Z
         */
        to?: string;
        /**
         * @description Seconds per bucket, a multiple of 60, for at most 500 buckets. The default is the smallest of a minute, 5 minutes, an hour, 6 hours and a day with at most 100 buckets. The gateway keeps buckets below an hour for two days, and hours for 400 days.
         * @example 60
         */
        step?: number;
        /**
         * @description True for the sums of the period before, of the same length, too.
         * @example true
         */
        compare?: boolean;
        /**
         * @description Of live or of test keys; without it `live`.
         * @example live
         */
        mode?: 'live' | 'test';
        /**
         * @description Only of this owner.
         * @example 3
         */
        owner_id?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The overview. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Overview'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listRequests: {
    parameters: {
      query?: {
        /**
         * @description Only of this owner.
         * @example 3
         */
        owner_id?: number;
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description Of live or of test keys; both when absent.
         * @example live
         */
        mode?: 'live' | 'test';
        /**
         * @description Only what asked for this model code.
         * @example gpt-5.2
         */
        model?: string;
        /**
         * @description Only of this kind of model.
         * @example chat
         */
        kind?: components['schemas']['ModelKind'];
        /**
         * @description Only with a status of this class.
         * @example 5xx
         */
        status?: '2xx' | '4xx' | '5xx';
        /**
         * @description Only with this error code, or with the word that callers know it by, such as `rate_limit_exceeded` or `permission_error`.
         * @example upstream_timeout
         */
        error?: string;
        /**
         * @description Only with this tag, as `name=value`.
         * @example team=search
         */
        tag?: string;
        /**
         * @description Only for this user.
         * @example u-42
         */
        user?: string;
        /**
         * @description Only in this session.
         * @example 54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe
         */
        session?: string;
        /**
         * @description Only of this run.
         * @example nightly-7
         */
        run?: string;
        /**
         * @description Not before, RFC 3339.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description Before, RFC 3339; without it now.
         * @example 2026-12-01T00:00:00Z
         */
        to?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example req_01JD8X9A7K5QG4T9W2N7V3B1MD
         */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of requests. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getRequest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the answer.
         * @example req_01JD8X9A7K5QG4T9W2N7V3B1MD
         */
        request_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The request. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestDetail'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getRequestCache: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the answer.
         * @example req_01JD8X9A7K5QG4T9W2N7V3B1MD
         */
        request_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The explanation. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestCache'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  estimateReplay: {
    parameters: {
      query: {
        /**
         * @description The key whose requests are looked at.
         * @example 7
         */
        key_id: number;
        /**
         * @description The code of the other model.
         * @example claude-haiku-4-5
         */
        model: string;
        /**
         * @description Not before, RFC 3339; without it a day before the end.
         * @example 2026-11-20T00:00:00Z
         */
        from?: string;
        /**
         * @description Before, RFC 3339; without it now.
         * @example 2026-11-21T00:00:00Z
         */
        to?: string;
        /**
         * @description How many requests at most, the newest first, 1 to 5000; without it 1000.
         * @example 1000
         */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The estimate. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReplayEstimate'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getCacheReport: {
    parameters: {
      query?: {
        /**
         * @description First day, RFC 3339; without it six days before the last one.
         * @example 2026-11-15T00:00:00Z
         */
        from?: string;
        /**
         * @description Last day, RFC 3339; without it today.
         * @example 2026-11-21T00:00:00Z
         */
        to?: string;
        /**
         * @description Only of this owner.
         * @example 3
         */
        owner_id?: number;
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description Of live or of test keys; both when absent.
         * @example live
         */
        mode?: 'live' | 'test';
        /**
         * @description Only what asked for this model code.
         * @example claude-sonnet-4-5
         */
        model?: string;
        /**
         * @description How many keys at most, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The report. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CacheReport'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listDroppedParameters: {
    parameters: {
      query?: {
        /**
         * @description First day, RFC 3339; without it six days before the last one.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description Last day, RFC 3339; without it today.
         * @example 2026-11-30T00:00:00Z
         */
        to?: string;
        /**
         * @description Only of this owner.
         * @example 3
         */
        owner_id?: number;
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description Of live or of test keys; both when absent.
         * @example live
         */
        mode?: 'live' | 'test';
        /**
         * @description Only what asked for this model code.
         * @example claude-sonnet-4-5
         */
        model?: string;
        /**
         * @description How many lines at most, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The parameters. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DroppedParameterList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  prepareReplay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id: components['parameters']['RequestId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RequestReplayCreate'];
      };
    };
    responses: {
      /** @description What to send, or why it cannot be sent again. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RequestReplay'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  waiveRequest: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Makes a paid request safe to repeat. The gateway stores the first answer under this key for 24 hours and replays it byte for byte, streams included. A second request waits while the first is running. Another body under the same key is a 409. Use any text of up to 255 characters, for example a UUID. Keys of different owners are independent.
         *
         *     A request with a key continues if the client disconnects, and its repetition gets the whole answer. An error that cost nothing frees the key. If the gateway process dies during a request, its outcome is unknown. The key then answers `submission_unknown`, and the gateway never runs the request again. Answers over 32 MB are not kept, and their key answers 409. With `background: true`, a repetition gets the same queued response (as a stream, its events to their end).
         * @example 2f0d1c52-6d0e-4d5c-9e59-7a1f6a0b3c11
         */
        'Idempotency-Key'?: components['parameters']['IdempotencyKey'];
      };
      path: {
        /**
         * @description The `x-request-id` of the request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id: components['parameters']['RequestId'];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['Waiver'];
      };
    };
    responses: {
      /** @description What was charged is given back. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BalanceChange'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getConfig: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The configuration. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LoadedConfig'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listConfigEntries: {
    parameters: {
      query?: {
        /**
         * @description Only of this list.
         * @example models
         */
        section?: components['schemas']['ConfigSection'];
        /**
         * @description Only those of which this layer has a row.
         * @example database
         */
        from?: 'builtin' | 'file' | 'database';
        /**
         * @description Only those whose name has this in it.
         * @example gpt
         */
        search?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example models/gpt-5.2
         */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of them. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigEntryList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getConfigEntry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The list.
         * @example models
         */
        section: components['schemas']['ConfigSection'];
        /**
         * @description The code of the model, or the name of the account or the budget; a `/` in it is `%2F`.
         * @example gpt-5.2
         */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The row. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigEntry'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  putConfigEntry: {
    parameters: {
      query?: {
        /**
         * @description The `version` of the entry that you know, or 0 if there was none. If somebody else has changed the entry since, you get a 409. Without `version`, the last change wins.
         * @example 17
         */
        version?: number;
        /**
         * @description With `true` nothing is changed; the answer says what would be, faults included.
         * @example true
         */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description The list.
         * @example models
         */
        section: components['schemas']['ConfigSection'];
        /**
         * @description The code of the model, or the name of the account or the budget; a `/` in it is `%2F`.
         * @example gpt-5.2
         */
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConfigEntryPut'];
      };
    };
    responses: {
      /** @description What it changed. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigChangeResult'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  deleteConfigEntry: {
    parameters: {
      query?: {
        /**
         * @description The `version` of the entry that you know, or 0 if there was none. If somebody else has changed the entry since, you get a 409. Without `version`, the last change wins.
         * @example 17
         */
        version?: number;
        /**
         * @description With `true` nothing is changed; the answer says what would be, faults included.
         * @example true
         */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description The list.
         * @example models
         */
        section: components['schemas']['ConfigSection'];
        /**
         * @description The code of the model, or the name of the account or the budget; a `/` in it is `%2F`.
         * @example gpt-5.2
         */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it changed. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigChangeResult'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listConfigChanges: {
    parameters: {
      query?: {
        /**
         * @description Only of this list.
         * @example models
         */
        section?: components['schemas']['ConfigSection'];
        /**
         * @description Only of the rows of this name.
         * @example gpt-5.2
         */
        name?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 17
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of changes. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigChangeList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  undoConfigChange: {
    parameters: {
      query?: {
        /**
         * @description With `true` nothing is changed; the answer says what would be, faults included.
         * @example true
         */
        dry_run?: boolean;
      };
      header?: never;
      path: {
        /**
         * @description The id of the change.
         * @example 17
         */
        change_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it changed. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ConfigChangeResult'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listAuditEntries: {
    parameters: {
      query?: {
        /**
         * @description Only of this one, as it is listed.
         * @example command
         */
        actor?: string;
        /**
         * @description Only of this kind.
         * @example key.revoke
         */
        action?: components['schemas']['AuditAction'];
        /**
         * @description Only of this key, owner or delivery.
         * @example key 7
         */
        subject?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 31
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the audit log. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditEntryList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listLedgerEntries: {
    parameters: {
      query?: {
        /**
         * @description Only of this owner.
         * @example 1
         */
        owner_id?: number;
        /**
         * @description Only of this key.
         * @example 7
         */
        key_id?: number;
        /**
         * @description Only of this request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id?: string;
        /**
         * @description Only of this task.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        task_id?: string;
        /**
         * @description Only of this kind.
         * @example capture
         */
        kind?: 'hold' | 'capture' | 'release' | 'topup' | 'adjust';
        /**
         * @description Only of this model.
         * @example gpt-5.2
         */
        model?: string;
        /**
         * @description Only from this time on, RFC 3339.
         * @example 2026-11-01T00:00:00Z
         */
        from?: string;
        /**
         * @description Only before this time, RFC 3339.
         * @example 2026-12-01T00:00:00Z
         */
        to?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 112
         */
        after?: number;
        /**
         * @description `csv` answers every line that the filters leave, oldest first, as a file; `limit` and `after` do not apply. Without it `json`.
         * @example json
         */
        format?: 'json' | 'csv';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of the ledger. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LedgerEntryList'];
          'text/csv': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  verifyLedger: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The verification. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LedgerVerification'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  replayLedger: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `x-request-id` of the request.
         * @example req_01JD8X6Z6K5QG4T9W2N7V3B1MC
         */
        request_id: components['parameters']['RequestId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bill. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LedgerReplay'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getInvariants: {
    parameters: {
      query?: {
        /** @description Whether to look now instead of reporting the last look. */
        look?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The report. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['InvariantReport'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listJobs: {
    parameters: {
      query?: {
        /**
         * @description Only of this kind.
         * @example ledger_verify
         */
        kind?: components['schemas']['JobKind'];
        /**
         * @description Only in this state.
         * @example running
         */
        state?: components['schemas']['JobState'];
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 31
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of jobs. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['JobList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  createJob: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['JobCreate'];
      };
    };
    responses: {
      /** @description The job. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the maintenance job.
         * @example 12
         */
        job_id: components['parameters']['JobId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  cancelJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the maintenance job.
         * @example 12
         */
        job_id: components['parameters']['JobId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Job'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getJobFile: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The part of the file to send, such as `bytes=0-1048575`. Several parts at once are not offered.
         * @example bytes=0-1048575
         */
        Range?: string;
      };
      path: {
        /**
         * @description The number of the maintenance job.
         * @example 12
         */
        job_id: components['parameters']['JobId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          [name: string]: unknown;
        };
        content: {
          'text/csv': Blob;
          'application/vnd.sqlite3': Blob;
        };
      };
      /** @description The asked part of the file. */
      206: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          'accept-ranges': components['headers']['AcceptRanges'];
          'content-length': components['headers']['ContentLength'];
          etag: components['headers']['ETag'];
          'content-range': components['headers']['ContentRange'];
          [name: string]: unknown;
        };
        content: {
          'text/csv': Blob;
          'application/vnd.sqlite3': Blob;
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      416: components['responses']['RangeNotSatisfiable'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listAllTasks: {
    parameters: {
      query?: {
        /**
         * @description Only of this owner.
         * @example 1
         */
        owner_id?: number;
        /**
         * @description Only of this kind.
         * @example video
         */
        kind?: 'video' | 'subject' | 'image';
        /**
         * @description Only in this state.
         * @example IN_PROGRESS
         */
        status?: components['schemas']['VideoTaskStatus'];
        /**
         * @description Only of this model code.
         * @example doubao-seedance-2-0-fast
         */
        model?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example task_0a1b2c3d4e5f60718293a4b5c6d7e8f9
         */
        after?: string;
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
          'application/json': components['schemas']['AdminTaskList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getAnyTask: {
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
      /** @description The task. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminTask'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  cancelAnyTask: {
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
      /** @description The task, cancelled. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AdminTask'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
      503: components['responses']['OpenAiUnavailable'];
    };
  };
  listAllModels: {
    parameters: {
      query?: {
        /**
         * @description OpenAI's form: `true` also shows the other names of each model.
         * @example true
         */
        aliases?: components['parameters']['Aliases'];
      };
      header?: never;
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
          'application/json': components['schemas']['ModelList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listModelChanges: {
    parameters: {
      query?: {
        /** @description Only the account of this name. */
        account?: string;
        /** @description Only accounts of this vendor, such as `elevenlabs`. */
        vendor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The differences. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelChangeList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listAccounts: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The accounts. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  testAccountDraft: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AccountDraft'];
      };
    };
    responses: {
      /** @description What came of it; also when the vendor refused, or the draft has faults. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountDraftTest'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  testAccount: {
    parameters: {
      query?: {
        /**
         * @description A model of the catalogue, or of the vendor, to ask for; without it one that leads to the account.
         * @example gpt-5.2
         */
        model?: string;
      };
      header?: never;
      path: {
        /**
         * @description The number of the account, the `channel_id` of task records.
         * @example 1
         */
        account_id: components['parameters']['AccountId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What came of it; also when the vendor refused. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AccountTest'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listVendors: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The vendors. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VendorList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listPeople: {
    parameters: {
      query?: {
        /**
         * @description Only people whose name contains this text, in any case.
         * @example ann
         */
        name?: string;
        /**
         * @description Only with this role.
         * @example member
         */
        role?: components['schemas']['PersonRole'];
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 4
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List people. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PersonList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  updatePerson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the person.
         * @example 4
         */
        person_id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PersonUpdate'];
      };
    };
    responses: {
      /** @description Block a person, or let them in again. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Person'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  signOutPerson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The number of the person.
         * @example 4
         */
        person_id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PersonSignOut'];
      };
    };
    responses: {
      /** @description Sign a person out. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Person'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listBudgets: {
    parameters: {
      query?: {
        /**
         * @description Only of keys, owners, accounts or budgets of the configuration; all when absent.
         * @example key
         */
        of?: components['schemas']['BudgetSubject'];
        /**
         * @description How many at most, 1 to 500; without it 200.
         * @example 200
         */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The budgets. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BudgetList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  createBudget: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BudgetCreate'];
      };
    };
    responses: {
      /** @description The budget is made. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BudgetRule'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  getBudget: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the budget, or its number.
         * @example research
         */
        budget: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The budget. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BudgetRule'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  deleteBudget: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the budget, or its number.
         * @example research
         */
        budget: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The budget is deleted. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BudgetRuleDeleted'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  updateBudget: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The name of the budget, or its number.
         * @example research
         */
        budget: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BudgetUpdate'];
      };
    };
    responses: {
      /** @description The budget is changed. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BudgetRule'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      409: components['responses']['OpenAiConflict'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  checkBill: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BillCheckCreate'];
      };
    };
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BillCheck'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listAlerts: {
    parameters: {
      query?: {
        /**
         * @description Only of the channel with this name.
         * @example ops
         */
        channel?: string;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example 31
         */
        after?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of alerts. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AlertDeliveryList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  testAlerts: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AlertTestCreate'];
      };
    };
    responses: {
      /** @description The result of each channel. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AlertTest'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listGuardrails: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The guardrails. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GuardrailList'];
        };
      };
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  testGuardrails: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GuardrailTrial'];
      };
    };
    responses: {
      /** @description What was found. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GuardrailTrialResult'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  explainRoute: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RouteQuestion'];
      };
    };
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RouteExplanation'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      413: components['responses']['OpenAiBodyTooLarge'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: {
        /**
         * @description Only of this task.
         * @example task_5f0c2f4e9b7d4a1c8e3f6a2b1c0d9e8f
         */
        task_id?: string;
        /**
         * @description True for those still to be delivered.
         * @example true
         */
        pending?: boolean;
        /**
         * @description How many per page, 1 to 500; without it 100.
         * @example 100
         */
        limit?: number;
        /**
         * @description The `next_after` of the page before.
         * @example msg_2c1d0e9f8a7b6c5d
         */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of deliveries. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDeliveryList'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      429: components['responses']['OpenAiRateLimited'];
      500: components['responses']['OpenAiInternal'];
      501: components['responses']['OpenAiNotImplemented'];
    };
  };
  replayWebhookDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `webhook-id` of the delivery.
         * @example msg_2c1d0e9f8a7b6c5d
         */
        delivery_id: components['parameters']['DeliveryId'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery is due. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookDelivery'];
        };
      };
      400: components['responses']['OpenAiInvalidRequest'];
      401: components['responses']['OpenAiUnauthenticated'];
      403: components['responses']['OpenAiKeyForbidden'];
      404: components['responses']['OpenAiNotFound'];
      415: components['responses']['OpenAiUnsupportedMediaType'];
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
          'application/json': components['schemas']['Readiness'];
        };
      };
      /** @description It cannot, or it is finishing its last requests. */
      503: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Readiness'];
        };
      };
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metrics. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example # HELP gateway_requests_total Requests answered, by operation and status
           *     # TYPE gateway_requests_total counter
           *     gateway_requests_total{route="/v1/chat/completions",status="200"} 1204
           */
          'text/plain': string;
        };
      };
      401: components['responses']['OpenAiUnauthenticated'];
      404: components['responses']['OpenAiNotFound'];
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
           *         "version": "0.2.0"
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
  getDocs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          'x-request-id': components['headers']['XRequestId'];
          [name: string]: unknown;
        };
        content: {
          /** @example <!doctype html> */
          'text/html': string;
        };
      };
    };
  };
}
