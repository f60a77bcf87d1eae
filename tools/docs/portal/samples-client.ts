/** Samples with our own client. */
import { ADMIN_KEY, BASE_URL, fileName, isFile, queryLiteral, TEST_KEY, type Called } from './called.ts';
import { jsLiteral, quote } from './literal.ts';

export function ourClient(called: Called): string | undefined {
  const { operation } = called;
  if (operation.webhook) return undefined;
  const admin = operation.tag === 'admin';
  const call = (admin ? adminCall(called) : ourCall(called)) ?? anyCall(called);
  const setup = admin
    ? `import { createAdmin } from '@model-gateway/client';\n\nconst admin = createAdmin({ baseUrl: '${BASE_URL}', apiKey: '${ADMIN_KEY}' });\n`
    : `import { createClient${call.includes('picturesOf') ? ', picturesOf' : ''}${call.includes('audioOf') ? ', audioOf' : ''} } from '@model-gateway/client';\n\nconst client = createClient({ baseUrl: '${BASE_URL}', apiKey: '${TEST_KEY}' });\n`;
  return `${setup}\n${call}\n`;
}

function ourCall({ operation, body = {}, path, query, headers, form }: Called): string | undefined {
  const { stream, ...rest } = body;
  const literal = jsLiteral(rest);
  const id = quote(path['task_id'] ?? path['video_id'] ?? '');
  const model = quote(path['model'] ?? '');
  const text = (call: string): string => `for await (const piece of client.${call}.text()) console.log(piece);`;
  switch (operation.id) {
    case 'createChatCompletion':
      if (body['audio'] !== undefined)
        return stream === true
          ? `const answer = await client.chat.stream(${literal}).final();\nconsole.log(audioOf(answer)?.length);`
          : `const answer = await client.chat.create(${literal});\nconsole.log(audioOf(answer)?.length);`;
      return stream === true
        ? text(`chat.stream(${literal})`)
        : `const answer = await client.chat.create(${literal});\nconsole.log(answer.choices[0]?.message);`;
    case 'createResponse':
      return stream === true
        ? text(`responses.stream(${literal})`)
        : `const answer = await client.responses.create(${literal});\nconsole.log(answer.output);`;
    case 'createMessage':
      return stream === true
        ? text(`messages.stream(${literal})`)
        : `const answer = await client.messages.create(${literal});\nconsole.log(answer.content);`;
    case 'countMessageTokens':
      return `console.log(await client.messages.countTokens(${literal}));`;
    case 'generateContent':
      return `const answer = await client.contents.generate(${model}, ${literal});\nconsole.log(answer.candidates?.[0]?.content?.parts);`;
    case 'streamGenerateContent':
      return query['alt'] === 'sse' ? text(`contents.stream(${model}, ${literal})`) : undefined;
    case 'countContentTokens':
      return `console.log(await client.contents.countTokens(${model}, ${literal}));`;
    case 'createImage':
      return `const result = await client.images.generate(${literal});\nconsole.log(picturesOf(result));`;
    case 'editImage':
      return `const result = await client.images.edit(${pathsIn(body)});\nconsole.log(picturesOf(result));`;
    case 'createSpeech':
      return `const speech = await client.speech.create(${literal});\nawait speech.save('speech.${(body['response_format'] as string | undefined) ?? 'mp3'}');`;
    case 'createVideoTask':
      return `const task = await client.videos.create(${literal}).wait();\nconsole.log(task.result_url);`;
    case 'listVideoTasks':
      return `for await (const task of client.videos.list(${queryLiteral(query)})) console.log(task.task_id, task.status);`;
    case 'getVideoTask':
      if (headers['accept'] !== undefined)
        return `for await (const task of client.videos.follow(${id})) console.log(task.status, task.progress);`;
      return query['wait'] === undefined
        ? `const task = await client.videos.get(${id});\nconsole.log(task.status, task.progress);`
        : `const task = await client.videos.get(${id}, { wait: ${query['wait']} });\nconsole.log(task.status, task.progress);`;
    case 'cancelVideoTask':
      return `const task = await client.videos.cancel(${id});\nconsole.log(task.status, task.fail_reason);`;
    case 'createVideo':
      return `const video = await client.videoObjects.create(${form ? pathsIn(body) : literal}).wait();\nconsole.log(video.status);`;
    case 'listVideos':
      return `for await (const video of client.videoObjects.list(${queryLiteral(query)})) console.log(video.id, video.status);`;
    case 'getVideo':
      return `const video = await client.videoObjects.get(${id});\nconsole.log(video.status, video.progress);`;
    case 'deleteVideo':
      return `console.log(await client.videoObjects.delete(${id}));`;
    case 'getVideoContent':
      return `const file = await client.videos.download(${id});\nawait file.save('video.mp4');`;
    case 'createSubject':
      return `const subject = await client.subjects.create(${literal}).wait();\nconsole.log(subject.Output);`;
    case 'getSubject':
      return `const subject = await client.subjects.get(${id});\nconsole.log(subject.Status, subject.Progress);`;
    case 'listModels':
      return Object.keys(headers).length > 0
        ? undefined
        : 'const { data } = await client.models.list();\nfor (const { id, kind } of data) console.log(id, kind);';
    case 'getModel':
      return Object.keys(headers).length > 0 ? undefined : `console.log(await client.models.get(${model}));`;
    case 'createEstimate':
      return `const { usd, quota } = await client.estimate(${literal});\nconsole.log(usd, quota);`;
    default:
      return undefined;
  }
}

function pathsIn(body: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(body).map(([name, value]) =>
    isFile(value)
      ? `${name}: { path: '${fileName(name)}' }`
      : `${name}: ${name === 'n' ? String(value) : jsLiteral(value, 2)}`,
  );
  return `{\n  ${lines.join(',\n  ')},\n}`;
}

function adminCall({ operation, body = {}, path, query }: Called): string | undefined {
  const literal = jsLiteral(body);
  const id = path['key_id'] ?? path['owner_id'] ?? '';
  const q = queryLiteral(query);
  const list = (name: string): string => `for await (const row of admin.${name}.list(${q})) console.log(row);`;
  const show = (call: string): string => `console.log(await admin.${call});`;
  const calls: Readonly<Record<string, string>> = {
    listKeys: list('keys'),
    createKey: `const { secret, key } = await admin.keys.create(${literal});\nconsole.log(secret, key.id);`,
    getKey: show(`keys.get(${id})`),
    updateKey: show(`keys.update(${id}, ${literal})`),
    revokeKey: show(`keys.revoke(${id})`),
    rotateKey: show(`keys.rotate(${id}, ${literal})`),
    listOwners: list('owners'),
    createOwner: show(`owners.create(${literal})`),
    getOwner: show(`owners.get(${id})`),
    updateOwner: show(`owners.update(${id}, ${literal})`),
    topUpOwner: show(`owners.topUp(${id}, ${literal})`),
    adjustOwner: show(`owners.adjust(${id}, ${literal})`),
    getUsage: show(`usage(${q})`),
    listLedgerEntries: list('ledger'),
    verifyLedger: show('ledger.verify()'),
    replayLedger: show(`ledger.replay(${quote(path['request_id'] ?? '')})`),
    listAuditEntries: list('audit'),
    listAllTasks: list('tasks'),
    listAccounts: show('accounts()'),
    listWebhookDeliveries: list('webhooks'),
    replayWebhookDelivery: show(`webhooks.replay(${quote(path['delivery_id'] ?? '')})`),
  };
  return calls[operation.id];
}

/** The way that every operation has. */
function anyCall({ operation, body, path, query, headers }: Called): string {
  const input = {
    ...(Object.keys(path).length > 0 && { path }),
    ...(Object.keys(query).length > 0 && {
      query: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]),
      ),
    }),
    ...(Object.keys(headers).length > 0 && { header: headers }),
    ...(body !== undefined && { body }),
  };
  return `console.log(await client.call('${operation.id}'${Object.keys(input).length > 0 ? `, ${jsLiteral(input)}` : ''}));`;
}
