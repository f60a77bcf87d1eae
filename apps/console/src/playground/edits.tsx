/** Pictures from a picture, an instruction, and what is painted over. */
import { Button, Slider, Textarea } from '@mantine/core';
import { useRef, type RefObject } from 'react';
import { sendWell } from '../api/connection.ts';
import { t } from '../text/text.ts';
import { ChooseFiles, DropPlace, readAsUrl, type GivenFile } from '../ui/files.tsx';
import { Empty } from '../ui/parts.tsx';
import { ModelSelect } from './chat-column.tsx';
import { useKept } from './drafts.ts';
import { remember } from './history-list.tsx';
import { MaskPainter, type MaskHandle } from './mask-painter.tsx';
import type { Model } from './models.ts';
import { PictureWall, readPictures, type Picture } from './picture-wall.tsx';
import { ActionBar, useWork, Workbench } from './workbench.tsx';

const PATH = '/v1/images/edits';

export default function Edits({ models }: { models: readonly Model[] }) {
  const able = models.filter(({ endpoints }) => endpoints.includes(PATH));
  const [code, setCode] = useKept('edit.model', able[0]?.id ?? '');
  const [prompt, setPrompt] = useKept('edit.prompt', '');
  const [file, setFile] = useKept<GivenFile | undefined>('edit.file', undefined);
  const [pictures, setPictures] = useKept<readonly (readonly Picture[])[]>('edit.made', []);
  const mask = useRef<MaskHandle>(null);
  const work = useWork(
    async (signal) => {
      const form = new FormData();
      form.set('model', code);
      form.set('prompt', prompt);
      if (file !== undefined) form.set('image', blobOf(file.url), file.name);
      const painted = await mask.current?.read();
      if (painted !== undefined) form.set('mask', painted, 'mask.png');
      const response = await sendWell(PATH, { method: 'POST', body: form, signal });
      return readPictures(await response.json(), prompt);
    },
    (made) => {
      setPictures((before) => [made, ...before]);
      remember('edit', { model: code, title: prompt });
    },
  );
  const [newest, ...earlier] = pictures;
  return (
    <Workbench
      work={work}
      label={t('Images')}
      isSimulated={able.find(({ id }) => id === code)?.simulated === true}
      form={
        <>
          <ModelSelect models={able} code={code} onCode={setCode} />
          <GivenPicture file={file} onFile={setFile} mask={mask} />
          <Textarea
            label={t('Instruction')}
            autosize
            minRows={2}
            value={prompt}
            onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
          />
        </>
      }
      actions={
        <ActionBar
          work={work}
          name={t('Edit')}
          isReady={prompt.trim() !== '' && file !== undefined}
          request={{ path: PATH, body: { model: code, prompt, image: '@picture.png' } }}
        />
      }
      empty={<Empty title={t('No images yet')}>{t('Describe an image and generate it.')}</Empty>}
      result={newest && <PictureWall pictures={newest} />}
      earlier={earlier.length > 0 && <PictureWall pictures={earlier.flat()} />}
    />
  );
}

interface GivenPictureProps {
  readonly file: GivenFile | undefined;
  readonly onFile: (file: GivenFile) => void;
  readonly mask: RefObject<MaskHandle | null>;
}

/** The picture that is to change, and what of it may: it is chosen or dropped, then painted over. */
function GivenPicture({ file, onFile, mask }: GivenPictureProps) {
  const [brush, setBrush] = useKept('edit.brush', 40);
  const choose = (given: File[]): void => {
    const first = given.find(({ type }) => type.startsWith('image/'));
    if (first !== undefined) void readAsUrl(first).then(onFile);
  };
  return (
    <DropPlace onFiles={choose}>
      <div className="stack">
        <div>
          <ChooseFiles
            label={file === undefined ? t('Choose an image') : t('Choose another image')}
            accept="image/png,image/jpeg,image/webp"
            isMultiple={false}
            onFiles={choose}
          />
        </div>
        {file === undefined ? (
          <p className="quiet small">{t('Or drop one here.')}</p>
        ) : (
          <>
            <p className="quiet small">{t('Paint over what should change; without a mask all of it may.')}</p>
            <MaskPainter ref={mask} key={file.url.length} url={file.url} brush={brush} />
            <div className="row">
              <span className="small">{t('Brush')}</span>
              <Slider
                className="grow"
                min={5}
                max={150}
                value={brush}
                onChange={setBrush}
                thumbLabel={t('Brush')}
                label={null}
              />
              <Button size="xs" variant="default" onClick={() => mask.current?.clear()}>
                {t('Clear the mask')}
              </Button>
            </div>
          </>
        )}
      </div>
    </DropPlace>
  );
}

/** The bytes of a `data:` URL; the page's policy lets nothing be fetched from one. */
function blobOf(url: string): Blob {
  const [head = '', base64 = ''] = url.split(',');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: /^data:([^;]+)/.exec(head)?.[1] ?? 'image/png' });
}
