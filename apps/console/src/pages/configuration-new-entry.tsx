/** The name of a model or an account that is added; what it is, is edited like any other. */
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../api/api.ts';
import { t } from '../text/text.ts';
import { ConfigurationEditor } from './configuration-editor.tsx';

type Section = Schemas['ConfigSection'];

const TEMPLATES: Readonly<Record<Section, object>> = {
  models: {
    kind: 'chat',
    offers: [{ account: 'openai', model: 'gpt-5.2', dialect: 'openai-chat' }],
    price: { input: 1, output: 2 },
    limits: { max_input_tokens: 128_000, max_output_tokens: 16_000 },
  },
  accounts: {
    vendor: 'openai-compatible',
    base_url: 'https://models.example.com/v1',
    credentials: { api_key: '${MODELS_API_KEY}' },
    dialects: ['openai-chat'],
  },
};

export function NewEntry({ onDone }: { onDone: () => void }) {
  const [section, setSection] = useState<Section>('models');
  const [name, setName] = useState('');
  const [isNamed, setNamed] = useState(false);
  if (isNamed)
    return (
      <ConfigurationEditor
        entry={{ section, name, version: 0, kept: null, removed: false, beneath: null, value: null, faults: [] }}
        template={TEMPLATES[section]}
        isEditable
        onDone={onDone}
      />
    );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setNamed(true);
      }}
    >
      <SegmentedControl
        aria-label={t('Kind')}
        value={section}
        onChange={(chosen) => setSection(chosen)}
        data={[
          { value: 'models', label: t('Model') },
          { value: 'accounts', label: t('Account') },
        ]}
      />
      <TextInput
        label={t('Name')}
        description={t('What callers write in model, or what offers call the account.')}
        required
        withAsterisk={false}
        maxLength={200}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Button type="submit">{t('Next')}</Button>
    </form>
  );
}
