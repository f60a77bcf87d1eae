/** Uploaded files. */
import type { BinaryReply } from '../binary.ts';
import type { Call } from '../call.ts';
import type { QueryOf, Schemas } from '../operations.ts';
import { pagesOf, type Pages } from '../pages.ts';
import type { RequestOptions } from '../transport.ts';
import type { Upload } from '../uploads.ts';
import { Resource } from './resource.ts';

type UploadedFile = Schemas['File'];

/** The form of `POST /v1/files`. */
export interface FileBody {
  /** Read as a stream where it is a Blob, such as that of `fs.openAsBlob(path)`. */
  readonly file: Upload;
  readonly purpose: Exclude<Schemas['FilePurpose'], 'assistants_output' | 'batch_output'>;
  /** When it is deleted, in seconds after it was created; without it when you delete it, of batches after thirty days. */
  readonly expiresAfterSeconds?: number;
}

/** Files that other requests name by their id. */
export class Files extends Resource {
  /** Uploads one. `onUpload` of the options is told how far it has gone. */
  create(form: FileBody, options?: RequestOptions): Call<UploadedFile> {
    return this.core.call('uploadFile', { body: formWith(form) }, options) as Call<UploadedFile>;
  }
  /** What is known of one. */
  get(id: string, options?: RequestOptions): Call<UploadedFile> {
    return this.core.call('getUploadedFile', { path: { uploaded_file_id: id } }, options) as Call<UploadedFile>;
  }
  /** The files of the key's owner, newest first. */
  list(query: QueryOf<'listFiles'> = {}, options?: RequestOptions): Pages<UploadedFile> {
    return pagesOf(
      (after) => this.core.call('listFiles', { query: { ...query, ...after } }, options) as Call<Schemas['FileList']>,
    );
  }
  /** Its bytes. */
  content(id: string, options: RequestOptions = {}): Call<BinaryReply> {
    return this.core.download('downloadFile', { path: { uploaded_file_id: id } }, options);
  }
  /** Deletes one. */
  delete(id: string, options?: RequestOptions): Call<Schemas['FileDeleted']> {
    return this.core.call('deleteFile', { path: { uploaded_file_id: id } }, options) as Call<Schemas['FileDeleted']>;
  }
}

async function formWith({ file, purpose, expiresAfterSeconds: seconds }: FileBody): Promise<FormData> {
  // Loaded when it is first needed: most programs upload nothing.
  const { formOf } = await import('../uploads.ts');
  const expiry = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': String(seconds) };
  return formOf({ purpose, ...(seconds !== undefined && expiry) }, { file });
}
