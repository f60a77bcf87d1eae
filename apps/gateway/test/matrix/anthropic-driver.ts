import Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlock,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import { ANSWER_SCHEMA, TOOLS, WEATHER_SCHEMA, type Ask, type Driver, type Heard } from './driver.ts';

/** messages by the @anthropic-ai/sdk package. */
export function anthropicDriver(url: string, key: string): Driver {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const messagesOf = (ask: Ask): MessageParam[] =>
    ask.after === undefined
      ? [
          {
            role: 'user',
            content:
              ask.image === undefined
                ? ask.text
                : [
                    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ask.image } },
                    { type: 'text', text: ask.text },
                  ],
          },
        ]
      : [
          ...messagesOf(ask.after.ask),
          { role: 'assistant', content: ask.after.heard.turn as ContentBlock[] },
          {
            role: 'user',
            content: ask.after.heard.calls.map(({ id }) => ({
              type: 'tool_result' as const,
              tool_use_id: id,
              content: ask.after?.result ?? '',
            })),
          },
        ];
  const hear = (message: Message, dropped: string): Heard => ({
    text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: message.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, args: block.input }] : [],
    ),
    turn: message.content,
    dropped,
  });
  return {
    name: 'anthropic-messages',
    async ask(model, ask) {
      const body: MessageCreateParamsNonStreaming = {
        model,
        max_tokens: 4096,
        messages: messagesOf(ask),
        ...(ask.system !== undefined && { system: ask.system }),
        ...((ask.tools ?? ask.after?.ask.tools) === true && {
          tools: TOOLS.map((tool) => ({
            ...tool,
            input_schema: { ...WEATHER_SCHEMA, required: [...WEATHER_SCHEMA.required] },
          })),
        }),
        ...(ask.structured === true && {
          output_config: { format: { type: 'json_schema' as const, schema: ANSWER_SCHEMA } },
        }),
        ...(ask.think === true && { thinking: { type: 'enabled' as const, budget_tokens: 2048 } }),
      };
      const options = ask.signal === undefined ? {} : { signal: ask.signal };
      if (ask.stream !== true) {
        const { data, response } = await client.messages.create(body, options).withResponse();
        return hear(data, response.headers.get('x-gateway-dropped') ?? '');
      }
      const stream = client.messages.stream(body, options);
      stream.on('streamEvent', () => ask.onPiece?.());
      return hear(await stream.finalMessage(), '');
    },
  };
}
