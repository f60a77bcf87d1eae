import {
  inOnePiece,
  malformedReply,
  numberAt,
  removeIfThere,
  textAt,
  type FileAdapter,
} from '@model-gateway/provider-kit';

/** It is uploaded anew where it is still used then. */
const KEEP_SECONDS = 7 * 86_400;

/** OpenAI's files (docs/wire/files.md#openai). */
export const files: FileAdapter = {
  async upload({ filename, mime, bytes }, upstream) {
    const { json } = await upstream.send({
      method: 'POST',
      path: '/files',
      form: [
        { name: 'purpose', value: 'user_data' },
        { name: 'expires_after[anchor]', value: 'created_at' },
        { name: 'expires_after[seconds]', value: String(KEEP_SECONDS) },
        { name: 'file', filename, contentType: mime, size: bytes.byteLength, open: () => inOnePiece(bytes) },
      ],
      firstByteSeconds: 300,
    });
    const id = textAt(json, 'id');
    if (id === undefined) throw malformedReply('an uploaded file without an id');
    const expiresAt = numberAt(json, 'expires_at');
    return { id, name: id, ...(expiresAt !== undefined && { expiresAt: expiresAt * 1000 }) };
  },

  remove: (id, upstream) => removeIfThere(upstream, { path: `/files/${encodeURIComponent(id)}` }),
};
