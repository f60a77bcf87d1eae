/** Samples with our own client. */
import { ADMIN_KEY, BASE_URL, fileName, isFile, queryLiteral, TEST_KEY, type Called } from './called.ts';
import { jsLiteral, quote } from './literal.ts';

export function ourClient(called: Called): string | undefined {
  const { operation } = called;
  if (operation.webhook) return undefined;
  const admin = operation.tag === 'admin';
  const own = admin ? adminCall(called) : ourCall(called);
  const call = own ?? anyCall(called);
  const setup =
    admin && own !== undefined
      ? `import { createAdmin } from '@model-gateway/client';\n\nconst admin = createAdmin({ baseUrl: '${BASE_URL}', apiKey: '${ADMIN_KEY}' });\n`
      : `import { createClient${call.includes('picturesOf') ? ', picturesOf' : ''}${call.includes('audioOf') ? ', audioOf' : ''}${call.includes('vectorsOf') ? ', vectorsOf' : ''} } from '@model-gateway/client';\n\nconst client = createClient({ baseUrl: '${BASE_URL}', apiKey: '${admin ? ADMIN_KEY : TEST_KEY}' });\n`;
  return `${setup}\n${call}\n`;
}

function ourCall({ operation, body = {}, path, query, headers, form }: Called): string | undefined {
  const { stream, async: inBackground, ...rest } = body;
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
    case 'createCompletion':
      return stream === true
        ? text(`completions.stream(${literal})`)
        : `const answer = await client.completions.create(${literal});\nconsole.log(answer.choices[0]?.text);`;
    case 'createResponse':
      if (rest['background'] === true)
        return `const answer = await client.responses.start(${jsLiteral({ ...rest, background: undefined })}).wait();\nconsole.log(answer.output);`;
      return stream === true
        ? text(`responses.stream(${literal})`)
        : `const answer = await client.responses.create(${literal});\nconsole.log(answer.output);`;
    case 'getResponse':
      return query['stream'] === 'true'
        ? text(`responses.follow(${quote(path['response_id'] ?? '')})`)
        : `const answer = await client.responses.wait(${quote(path['response_id'] ?? '')});\nconsole.log(answer.output);`;
    case 'countResponseTokens':
      return `console.log(await client.responses.countTokens(${literal}));`;
    case 'compactResponse':
      return `const short = await client.responses.compact(${literal});\nconsole.log(short.output);`;
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
      if (inBackground === true) return `const task = await client.images.createTask(${literal});\nconsole.log(task);`;
      return `const result = await client.images.generate(${literal});\nconsole.log(picturesOf(result));`;
    case 'editImage':
      return `const result = await client.images.edit(${pathsIn(body)});\nconsole.log(picturesOf(result));`;
    case 'createImageVariation':
      return `const result = await client.images.vary(${pathsIn(body)});\nconsole.log(picturesOf(result));`;
    case 'createSpeech':
      return `const speech = await client.speech.create(${literal});\nawait speech.save('speech.${(body['response_format'] as string | undefined) ?? 'mp3'}');`;
    case 'createMusic':
      return `const music = await client.music.create(${literal});\nawait music.save('music.mp3');`;
    case 'createTranscription':
      return stream === 'true'
        ? text(`transcriptions.stream(${pathsIn(rest)})`)
        : `const transcript = await client.transcriptions.create(${pathsIn(body)});\nconsole.log(transcript);`;
    case 'createTranslation':
      return `const transcript = await client.transcriptions.translate(${pathsIn(body)});\nconsole.log(transcript.text);`;
    case 'createEmbedding':
      return `const answer = await client.embeddings.create(${literal});\nfor (const vector of vectorsOf(answer)) console.log(vector.length);`;
    case 'embedContent':
      return `const { embedding } = await client.embeddings.ofContent(${model}, ${literal});\nconsole.log(embedding.values.length);`;
    case 'batchEmbedContents':
      return `const { embeddings } = await client.embeddings.ofContents(${model}, ${literal});\nfor (const { values } of embeddings) console.log(values.length);`;
    case 'createModeration':
      return `const { results } = await client.moderations.create(${literal});\nfor (const { flagged } of results) console.log(flagged);`;
    case 'createRerank':
      return `const { results } = await client.rerank.create(${literal});\nfor (const { index, relevance_score: score } of results) console.log(index, score);`;
    case 'uploadFile': {
      const seconds = body['expires_after[seconds]'];
      const expiry = seconds === undefined ? '' : `, expiresAfterSeconds: ${Number(seconds)}`;
      const purpose = quote((body['purpose'] as string | undefined) ?? 'user_data');
      return `const file = await client.files.create({ file: { path: '${fileName('file')}' }, purpose: ${purpose}${expiry} });\nconsole.log(file.id);`;
    }
    case 'createUploadPart':
      return `const body = new FormData();\nbody.append('data', new Blob(['High tide: noon.']));\nconsole.log(await client.call('createUploadPart', { path: ${jsLiteral(path)}, body }));`;
    case 'downloadFile':
    case 'downloadGeminiFile':
    case 'downloadGeminiFileV1':
      return `const content = await client.files.content(${quote(path['uploaded_file_id'] ?? '')});\nconsole.log((await content.bytes()).length);`;
    case 'createVideoTask':
      return `const task = await client.videos.create(${literal}).wait();\nconsole.log(task.result_url);`;
    case 'listVideoTasks':
      return `for await (const task of client.videos.list(${queryLiteral(query)})) console.log(task.task_id, task.status);`;
    case 'getStream':
      return `for await (const piece of client.chat.resume(${quote(path['stream_id'] ?? '')}, ${headers['Last-Event-ID'] ?? '0'}).text()) console.log(piece);`;
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
    case 'getMe':
      return 'const { key, owner, limits } = await client.account.me();\nconsole.log(key.name, owner.balance_usd, limits);';
    case 'getOwnUsage':
      return `console.log(await client.account.usage(${queryLiteral(query)}));`;
    case 'getOwnOverview':
      return `const { total } = await client.account.overview(${queryLiteral(query)});\nconsole.log(total);`;
    case 'listOwnRequests':
      return `const page = await client.account.requests.list(${queryLiteral(query)});\nfor (const { id, model, status, charged_usd } of page.items) console.log(id, model, status, charged_usd);`;
    case 'getOwnRequest':
      return `const { request, attempts, bill } = await client.account.requests.get(${quote(path['request_id'] ?? '')});\nconsole.log(request.status, attempts, bill?.lines ?? []);`;
    case 'getOwnStatement':
      return `const { lines, closing_balance_usd } = await client.account.statement(${queryLiteral(query)});\nconsole.log(lines.length, closing_balance_usd);`;
    case 'listOwnLedgerEntries':
      return `const page = await client.account.ledger.list(${queryLiteral(query)});\nfor (const { kind, amount, request_id } of page.items) console.log(kind, amount, request_id);`;
    case 'listOwnWebhookDeliveries':
      return `const page = await client.account.webhooks.list(${queryLiteral(query)});\nfor (const { id, url, status } of page.items) console.log(id, url, status);`;
    case 'replayOwnWebhookDelivery':
      return `const { status, attempts } = await client.account.webhooks.replay(${quote(path['delivery_id'] ?? '')});\nconsole.log(status, attempts);`;
    default:
      return keptCall(operation.id, { path, query: queryLiteral(query), body: literal });
  }
}

/** Responses and conversations that the gateway keeps. */
function keptCall(
  operationId: string,
  { path, query, body }: { readonly path: Called['path']; readonly query: string; readonly body: string },
): string | undefined {
  const response = quote(path['response_id'] ?? '');
  const completion = quote(path['completion_id'] ?? '');
  const conversation = quote(path['conversation_id'] ?? '');
  const item = `${conversation}, ${quote(path['item_id'] ?? '')}`;
  const page = query === '' ? '' : `, ${query}`;
  const show = (call: string): string => `console.log(await client.${call});`;
  const calls: Readonly<Record<string, string>> = {
    deleteResponse: show(`responses.delete(${response})`),
    cancelResponse: `const { status } = await client.responses.cancel(${response});\nconsole.log(status);`,
    listResponseInputItems: `for await (const item of client.responses.inputItems(${response}${page})) console.log(item);`,
    listChatCompletions: `for await (const answer of client.chat.list(${query})) console.log(answer.id);`,
    getChatCompletion: show(`chat.get(${completion})`),
    updateChatCompletion: show(`chat.update(${completion}, ${body})`),
    deleteChatCompletion: show(`chat.delete(${completion})`),
    listChatCompletionMessages: `for await (const message of client.chat.messages(${completion}${page})) console.log(message);`,
    createConversation: `const { id } = await client.conversations.create(${body});\nconsole.log(id);`,
    getConversation: show(`conversations.get(${conversation})`),
    updateConversation: show(`conversations.update(${conversation}, ${body})`),
    deleteConversation: show(`conversations.delete(${conversation})`),
    listConversationItems: `for await (const item of client.conversations.items(${conversation}${page})) console.log(item);`,
    createConversationItems: show(`conversations.addItems(${conversation}, ${body})`),
    getConversationItem: show(`conversations.getItem(${item})`),
    deleteConversationItem: show(`conversations.deleteItem(${item})`),
  };
  return calls[operationId];
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
    listJobs: list('jobs'),
    createJob: show(`jobs.start(${literal})`),
    getJob: show(`jobs.get(${path['job_id'] ?? ''})`),
    cancelJob: show(`jobs.cancel(${path['job_id'] ?? ''})`),
    getJobFile: `const file = await admin.jobs.download(${path['job_id'] ?? ''});\nawait file.save('export.csv');\nconsole.log('export.csv');`,
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
    getOwnerStatement: `const { lines, closing_balance_usd } = await admin.owners.statement(${id}${q === '' ? '' : `, ${q}`});\nconsole.log(lines.length, closing_balance_usd);`,
    getUsage: show(`usage(${q})`),
    getOverview: show(`overview(${q})`),
    getConfig: show('config()'),
    ...configCalls({ path, query: q, body: jsLiteral({ ...body, ...flagsOf(query) }) }),
    listRequests: list('requests'),
    getRequest: show(`requests.get(${quote(path['request_id'] ?? '')})`),
    waiveRequest: show(`requests.waive(${quote(path['request_id'] ?? '')}, ${literal})`),
    getInvariants: show(`invariants(${q})`),
    listLedgerEntries: list('ledger'),
    verifyLedger: show('ledger.verify()'),
    replayLedger: show(`ledger.replay(${quote(path['request_id'] ?? '')})`),
    listAuditEntries: list('audit'),
    listAllTasks: list('tasks'),
    getAnyTask: show(`tasks.get(${quote(path['task_id'] ?? '')})`),
    cancelAnyTask: show(`tasks.cancel(${quote(path['task_id'] ?? '')})`),
    listAllModels: show('models()'),
    listModelChanges: show('modelChanges()'),
    listAccounts: show('accounts()'),
    testAccount: show(`testAccount(${path['account_id'] ?? ''})`),
    testAccountDraft: show(`testAccountDraft(${literal})`),
    listVendors: show('vendors()'),
    listBudgets: show(`budgets(${q})`),
    createBudget: show(`createBudget(${literal})`),
    getBudget: show(`budget(${quote(path['budget'] ?? '')})`),
    updateBudget: show(`updateBudget(${quote(path['budget'] ?? '')}, ${literal})`),
    deleteBudget: show(`deleteBudget(${quote(path['budget'] ?? '')})`),
    estimateReplay: show(`estimateReplay(${q})`),
    prepareReplay: show(`requests.prepareReplay(${quote(path['request_id'] ?? '')}, ${literal})`),
    getCacheReport: show(`cacheReport(${q})`),
    getRequestCache: show(`requests.cache(${quote(path['request_id'] ?? '')})`),
    listDroppedParameters: show(`droppedParameters(${q})`),
    checkBill: show(`checkBill(${literal})`),
    listAlerts: list('alerts'),
    testAlerts: show(`alerts.test(${literal})`),
    listPeople: list('people'),
    updatePerson: show(`people.update(${path['person_id'] ?? ''}, ${literal})`),
    signOutPerson: show(`people.signOut(${path['person_id'] ?? ''})`),
    listGuardrails: show('guardrails()'),
    testGuardrails: show(`testGuardrails(${literal})`),
    getKeyLimits: show(`keys.limits(${id})`),
    explainRoute: show(`explainRoute(${literal})`),
    listWebhookDeliveries: list('webhooks'),
    replayWebhookDelivery: show(`webhooks.replay(${quote(path['delivery_id'] ?? '')})`),
  };
  return calls[operation.id];
}

/** Models and accounts in the database. */
function configCalls({
  path,
  query,
  body,
}: {
  readonly path: Called['path'];
  readonly query: string;
  readonly body: string;
}): Readonly<Record<string, string>> {
  const entry = `${quote(path['section'] ?? '')}, ${quote(path['name'] ?? '')}`;
  const differences = (call: string): string =>
    `const { differences, faults } = await admin.configEntries.${call};\nconsole.log(differences, faults);`;
  return {
    listConfigEntries: `const page = await admin.configEntries.list(${query});\nfor (const { id, from } of page.items) console.log(id, from);`,
    getConfigEntry: `console.log(await admin.configEntries.get(${entry}));`,
    putConfigEntry: differences(`put(${entry}, ${body})`),
    deleteConfigEntry: differences(`delete(${entry})`),
    listConfigChanges: 'for await (const row of admin.configEntries.changes()) console.log(row);',
    undoConfigChange: differences(`undo(${path['change_id'] ?? ''})`),
  };
}

/** Query parameters that are true or false. */
function flagsOf(query: Called['query']): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === 'true' || value === 'false' ? [[name, value === 'true']] : [],
    ),
  );
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
