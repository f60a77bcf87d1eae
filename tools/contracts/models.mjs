// The types of the client that say which model takes which body, from the built-in catalogue.

/** The text of libs/client/src/generated/models.ts. `catalogue` is apps/gateway/config/catalogue.yaml, read. */
export function modelsText({ models }) {
  const codesOf = (...kinds) =>
    models
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap((row) => [row.code, ...(row.aliases ?? [])].map((code) => ({ code, row })));
  const union = (name, what, ...kinds) =>
    `/** ${what} */\nexport type ${name} = ${codesOf(...kinds)
      .map(({ code }) => JSON.stringify(code))
      .join(' | ')};\n`;
  const shapes = (name, what, shapeOf, ...kinds) =>
    `/** ${what} */\nexport interface ${name} {\n${codesOf(...kinds)
      .map(({ code, row }) => `  readonly ${JSON.stringify(code)}: ${JSON.stringify(shapeOf(row))};`)
      .join('\n')}\n}\n`;
  const named = [...new Set(models.map(({ kind }) => kind))].filter((kind) => !SHAPED.includes(kind));
  return [
    ...named.map((kind) =>
      union(`${capital(kind)}ModelCode`, `The built-in ${kind} models and their other names.`, kind),
    ),
    shapes('ImageShapes', 'The body that each built-in image model takes.', imageShape, 'image', 'image-edit'),
    shapes('VideoShapes', 'The body that each built-in video model takes.', ({ body }) => body, 'video'),
  ].join('\n');
}

/** Kinds whose models differ in their bodies: their codes are the names of these. */
const SHAPED = ['image', 'image-edit', 'video'];
const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;

const imageShape = ({ body }) => body ?? 'prompt';
