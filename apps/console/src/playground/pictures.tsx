/** Pictures from words. */
import { Textarea } from '@mantine/core';
import { postJson } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, GivenFiles, readAsUrl, type GivenFile } from '../ui/files.tsx';
import { Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { remember } from './history-list.tsx';
import { ofKind, type Model } from './models.ts';
import { PictureWall, readPictures, type Picture } from './picture-wall.tsx';
import { fieldsOf, takenBy, useApiDocument, withFields, type FieldValues } from './schema-fields.ts';
import { SchemaForm } from './schema-form.tsx';
import { ActionBar, useWork, Workbench } from './workbench.tsx';

const PATH = '/v1/images/generations';
const SHOWN_ELSEWHERE = [
  'async',
  'callback_url',
  'model',
  'prompt',
  'image',
  'stream',
  'partial_images',
  'response_format',
  'input',
  'user',
];

export default function Pictures({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'image');
  const [code, setCode] = useKept('image.model', able[0]?.id ?? '');
  const [prompt, setPrompt] = useKept('image.prompt', '');
  const [files, setFiles] = useKept<readonly GivenFile[]>('image.files', []);
  const [values, setValues] = useKept<FieldValues>('image.values', {});
  const [pictures, setPictures] = useKept<readonly (readonly Picture[])[]>('image.made', []);
  const apiDocument = useApiDocument();
  const model = able.find(({ id }) => id === code);
  const isMessages = model?.formats.includes('messages') === true;
  const fields = takenBy(
    model,
    fieldsOf(apiDocument.data, isMessages ? 'ImageMessagesBody' : 'ImagePromptBody', SHOWN_ELSEWHERE),
  );
  const body = withFields(bodyOf(code, prompt, files, isMessages), fields, values);
  const work = useWork(
    async (signal) => readPictures(await (await postJson(PATH, body, signal)).json(), prompt),
    (made) => {
      setPictures((before) => [made, ...before]);
      remember('image', { model: code, title: prompt });
    },
  );
  const [newest, ...earlier] = pictures;
  return (
    <Workbench
      work={work}
      label={t('Images')}
      isSimulated={model?.simulated === true}
      form={
        <>
          <ModelSelect
            models={able}
            code={code}
            onCode={(chosen) => {
              setCode(chosen);
              setValues({});
            }}
          />
          <Textarea
            label={t('Prompt')}
            autosize
            minRows={3}
            value={prompt}
            onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
          />
          <div>
            <ChooseFiles
              label={t('Add reference images')}
              accept="image/*"
              onFiles={(given) => void Promise.all(given.map(readAsUrl)).then((read) => setFiles([...files, ...read]))}
            />
            <GivenFiles files={files} onRemove={(at) => setFiles(files.filter((_, index) => index !== at))} />
          </div>
          <details>
            <summary>{t('Parameters')}</summary>
            <SchemaForm fields={fields} values={values} onChange={setValues} />
          </details>
        </>
      }
      actions={
        <ActionBar
          work={work}
          name={t('Generate')}
          isReady={prompt.trim() !== ''}
          request={{ path: PATH, body }}
          hasEstimate
        />
      }
      empty={<Empty title={t('No images yet')}>{t('Describe an image and generate it.')}</Empty>}
      result={newest && <PictureWall pictures={newest} />}
      earlier={earlier.length > 0 && <PictureWall pictures={earlier.flat()} />}
    />
  );
}

function bodyOf(model: string, prompt: string, files: readonly GivenFile[], isMessages: boolean) {
  if (isMessages) {
    const content = [...files.map(({ url }) => ({ image: url })), { text: prompt }];
    return { model, input: { messages: [{ role: 'user', content }] } };
  }
  const urls = files.map(({ url }) => url);
  return { model, prompt, ...(urls.length > 0 && { image: urls.length === 1 ? urls[0] : urls }) };
}
