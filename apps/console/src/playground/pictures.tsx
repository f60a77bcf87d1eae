/** Pictures from words. */
import { Button, Loader, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { postJson } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, GivenFiles, readAsUrl, type GivenFile } from '../ui/files.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { EstimateLine, Workbench } from './workbench.tsx';
import { ofKind, type Model } from './models.ts';
import { PictureWall, readPictures, type Picture } from './picture-wall.tsx';
import { fieldsOf, useApiDocument, withFields, type FieldValues } from './schema-fields.ts';
import { SchemaForm } from './schema-form.tsx';
import { ShowCode } from './show-code.tsx';

const PATH = '/v1/images/generations';
const SHOWN_ELSEWHERE = ['model', 'prompt', 'image', 'stream', 'partial_images', 'response_format', 'input', 'user'];

export default function Pictures({ models }: { models: readonly Model[] }) {
  const able = ofKind(models, 'image');
  const [code, setCode] = useKept('image.model', able[0]?.id ?? '');
  const [prompt, setPrompt] = useKept('image.prompt', '');
  const [files, setFiles] = useKept<readonly GivenFile[]>('image.files', []);
  const [values, setValues] = useKept<FieldValues>('image.values', {});
  const [pictures, setPictures] = useKept<readonly Picture[]>('image.pictures', []);
  const apiDocument = useApiDocument();
  const isMessages = able.find(({ id }) => id === code)?.formats.includes('messages') === true;
  const fields = fieldsOf(apiDocument.data, isMessages ? 'ImageMessagesBody' : 'ImagePromptBody', SHOWN_ELSEWHERE);
  const body = withFields(bodyOf(code, prompt, files, isMessages), fields, values);
  const make = useMutation({
    mutationFn: async () => {
      const response = await postJson(PATH, body);
      return readPictures(await response.json(), prompt);
    },
    onSuccess: (made) => setPictures((before) => [...made, ...before]),
  });
  return (
    <Workbench
      work={make}
      label={t('Images')}
      form={
        <>
          <ModelSelect models={able} code={code} onCode={setCode} />
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
          <div className="row">
            <EstimateLine path={PATH} body={body} isReady={prompt.trim() !== ''} />
            <span className="grow" />
            <ShowCode request={{ path: PATH, body }} />
            <Button type="submit" disabled={prompt.trim() === '' || make.isPending}>
              {t('Generate')}
            </Button>
          </div>
        </>
      }
    >
      {make.isPending && <Loader aria-label={t('Loading')} />}
      <PictureWall pictures={pictures} />
    </Workbench>
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
