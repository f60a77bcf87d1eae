/** The first program with a key. */
import { Tabs } from '@mantine/core';
import { t } from '../text/text.ts';
import { CodeBlock } from '../ui/parts.tsx';

export function Snippets({ secret = '$MODEL_GATEWAY_API_KEY' }: { secret?: string }) {
  const base = window.location.origin;
  const programs = {
    curl: `curl ${base}/v1/chat/completions \\
  -H "authorization: Bearer ${secret}" \\
  -H 'content-type: application/json' \\
  -d '{"model": "gpt-5.2", "messages": [{"role": "user", "content": "Hello"}]}'`,
    Python: `from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key="${secret}")
reply = client.chat.completions.create(
    model="gpt-5.2", messages=[{"role": "user", "content": "Hello"}]
)
print(reply.choices[0].message.content)`,
    TypeScript: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: '${secret}' });
const reply = await client.chat.completions.create({
  model: 'gpt-5.2',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(reply.choices[0].message.content);`,
  };
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label={t('Language')}>
        {Object.keys(programs).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(programs).map(([name, text]) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <CodeBlock text={text} label={name} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
