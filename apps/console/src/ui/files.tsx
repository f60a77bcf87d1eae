/** Files from people: dropped, pasted or chosen, read as `data:` URLs. */
import { Button, FileButton } from '@mantine/core';
import { useState, type ClipboardEvent, type DragEvent, type ReactNode } from 'react';
import { t } from '../text/text.ts';

export interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly url: string;
}

export function readAsUrl(file: File): Promise<GivenFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve({
        name: file.name,
        type: file.type || 'application/octet-stream',
        url: typeof reader.result === 'string' ? reader.result : '',
      });
    reader.onerror = () => reject(new Error(t('The file could not be read.')));
    reader.readAsDataURL(file);
  });
}

/** A place that takes files which are dropped or pasted onto it. */
export function DropPlace({ onFiles, children }: { onFiles: (files: File[]) => void; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files];
    if (files.length > 0) {
      event.preventDefault();
      onFiles(files);
    }
  };
  return (
    <div
      className={`drop${isOver ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onPaste={onPaste}
    >
      {children}
    </div>
  );
}

export function ChooseFiles({
  label,
  accept,
  onFiles,
  isMultiple = true,
}: {
  label: string;
  accept?: string;
  onFiles: (files: File[]) => void;
  isMultiple?: boolean;
}) {
  return (
    <FileButton
      multiple
      {...(accept !== undefined && { accept })}
      onChange={(files) => onFiles(isMultiple ? files : files.slice(0, 1))}
      inputProps={{ 'aria-label': label }}
    >
      {(props) => (
        <Button {...props} variant="default" size="xs">
          {label}
        </Button>
      )}
    </FileButton>
  );
}

/** What was given, each with a button that takes it away. */
export function GivenFiles({ files, onRemove }: { files: readonly GivenFile[]; onRemove: (at: number) => void }) {
  return (
    <ul className="given">
      {files.map((file, at) => (
        <li key={`${file.name}-${at}`}>
          {file.type.startsWith('image/') && <img src={file.url} alt="" />}
          <span>{file.name}</span>
          <button type="button" aria-label={t('Remove {name}', { name: file.name })} onClick={() => onRemove(at)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
