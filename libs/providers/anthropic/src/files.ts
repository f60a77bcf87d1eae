import { inOnePiece, malformedReply, removeIfThere, textAt, type FileAdapter } from '@model-gateway/provider-kit';

/** Names have none of these. */
const FORBIDDEN = /[<>:"|?*\\/\u0000-\u001f]/g;
const HEADERS = { 'anthropic-beta': 'files-api-2025-04-14', 'anthropic-version': '2023-06-01' };

/** Anthropic's files, in beta (docs/wire/files.md#anthropic). They are kept until they are deleted. */
export const files: FileAdapter = {
  async upload({ filename, mime, bytes }, upstream) {
    const { json } = await upstream.send({
      method: 'POST',
      path: '/v1/files',
      headers: HEADERS,
      form: [
        {
          name: 'file',
          filename: filename.replace(FORBIDDEN, '_'),
          contentType: mime,
          size: bytes.byteLength,
          open: () => inOnePiece(bytes),
        },
      ],
      firstByteSeconds: 300,
    });
    const id = textAt(json, 'id');
    if (id === undefined) throw malformedReply('an uploaded file without an id');
    return { id, name: id };
  },

  remove: (id, upstream) => removeIfThere(upstream, { path: `/v1/files/${encodeURIComponent(id)}`, headers: HEADERS }),
};
