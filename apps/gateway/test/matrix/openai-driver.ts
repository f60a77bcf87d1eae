import OpenAI from 'openai';
import type { ChatCompletionMessage, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInput, Response as ModelResponse } from 'openai/resources/responses/responses';
import { ANSWER_SCHEMA, TOOLS, WEATHER_SCHEMA, type Ask, type Driver, type Heard } from './driver.ts';

function clientOf(url: string, key: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

/** chat-completions by the openai package. */
export function openAiChatDriver(url: string, key: string): Driver {
  const client = clientOf(url, key);
  const messagesOf = (ask: Ask): ChatCompletionMessageParam[] => [
    ...(ask.after === undefined
      ? [
          ...(ask.system === undefined ? [] : [{ role: 'system' as const, content: ask.system }]),
          {
            role: 'user' as const,
            content:
              ask.image === undefined
                ? ask.text
                : [
                    { type: 'text' as const, text: ask.text },
                    { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${ask.image}` } },
                  ],
          },
        ]
      : [
          ...messagesOf(ask.after.ask),
          ask.after.heard.turn as ChatCompletionMessageParam,
          ...ask.after.heard.calls.map(({ id }) => ({
            role: 'tool' as const,
            tool_call_id: id,
            content: ask.after?.result ?? '',
          })),
        ]),
  ];
  const hear = (message: ChatCompletionMessage, dropped: string): Heard => ({
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) as unknown }]
        : [],
    ),
    turn: message,
    dropped,
  });
  return {
    name: 'openai-chat',
    async ask(model, ask) {
      const body = {
        model,
        messages: messagesOf(ask),
        ...((ask.tools ?? ask.after?.ask.tools) === true && {
          tools: TOOLS.map((tool) => ({
            type: 'function' as const,
            function: { ...tool, parameters: WEATHER_SCHEMA },
          })),
        }),
        ...(ask.structured === true && {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'answer', schema: ANSWER_SCHEMA, strict: true },
          },
        }),
        ...(ask.think === true && { reasoning_effort: 'high' as const }),
      };
      const options = ask.signal === undefined ? {} : { signal: ask.signal };
      if (ask.stream !== true) {
        const { data, response } = await client.chat.completions.create(body, options).withResponse();
        const message = data.choices[0]?.message;
        if (message === undefined) throw new Error('no choice');
        return hear(message, response.headers.get('x-gateway-dropped') ?? '');
      }
      const stream = client.chat.completions.stream(body, options);
      stream.on('chunk', () => ask.onPiece?.());
      const done = await stream.finalChatCompletion();
      const message = done.choices[0]?.message;
      if (message === undefined) throw new Error('no choice');
      return hear(message, '');
    },
  };
}

/** responses by the openai package. */
export function openAiResponsesDriver(url: string, key: string): Driver {
  const client = clientOf(url, key);
  const inputOf = (ask: Ask): ResponseInput =>
    ask.after === undefined
      ? [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: ask.text },
              ...(ask.image === undefined
                ? []
                : [
                    {
                      type: 'input_image' as const,
                      detail: 'auto' as const,
                      image_url: `data:image/png;base64,${ask.image}`,
                    },
                  ]),
            ],
          },
        ]
      : [
          ...inputOf(ask.after.ask),
          ...(ask.after.heard.turn as ResponseInput),
          ...ask.after.heard.calls.map(({ id }) => ({
            type: 'function_call_output' as const,
            call_id: id,
            output: ask.after?.result ?? '',
          })),
        ];
  const hear = (response: ModelResponse, dropped: string): Heard => ({
    text: response.output
      .flatMap((item) =>
        item.type === 'message' ? item.content.map((part) => (part.type === 'output_text' ? part.text : '')) : [],
      )
      .join(''),
    calls: response.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, args: JSON.parse(item.arguments) as unknown }]
        : [],
    ),
    turn: response.output,
    dropped,
  });
  return {
    name: 'openai-responses',
    async ask(model, ask) {
      const body = {
        model,
        input: inputOf(ask),
        store: false,
        ...(ask.system !== undefined && { instructions: ask.system }),
        ...((ask.tools ?? ask.after?.ask.tools) === true && {
          tools: TOOLS.map((tool) => ({
            type: 'function' as const,
            ...tool,
            parameters: WEATHER_SCHEMA,
            strict: true,
          })),
        }),
        ...(ask.structured === true && {
          text: { format: { type: 'json_schema' as const, name: 'answer', schema: ANSWER_SCHEMA, strict: true } },
        }),
        ...(ask.think === true && {
          reasoning: { effort: 'high' as const, summary: 'auto' as const },
          include: ['reasoning.encrypted_content' as const],
        }),
      };
      const options = ask.signal === undefined ? {} : { signal: ask.signal };
      if (ask.stream !== true) {
        const { data, response } = await client.responses.create({ ...body, stream: false }, options).withResponse();
        return hear(data, response.headers.get('x-gateway-dropped') ?? '');
      }
      const stream = client.responses.stream(body, options);
      stream.on('event', () => ask.onPiece?.());
      const done = await stream.finalResponse();
      // A failed answer is an answer to this SDK: whether to go on is its reader's affair.
      if (done.status === 'failed') throw new Error(done.error?.message ?? 'the answer failed');
      return hear(done, '');
    },
  };
}
