/** The clients, in the order of the table. A new one is an entry here. */
import { AGENTS } from './agents.mjs';
import { schemathesis } from './fuzz.mjs';
import { GENERATORS } from './generators.mjs';
import { guides } from './guides.mjs';
import { pythonClient } from './python-clients.mjs';

const CHAT = 'chat plain, streamed, tools, structured output';
export const CLIENTS = [
  pythonClient('openai', {
    script: 'openai_sdk',
    packages: 'sdks',
    ran: `chat completions and responses: ${CHAT}, history, pictures, refusals, broken streams; images, speech, transcripts, vectors, verdicts, video, resumable streams, models`,
  }),
  pythonClient('openai-kept', {
    script: 'openai_kept',
    packages: 'sdks',
    ran: 'kept responses: threads, items by reference and conversations over models of two formats, in the background, resumed, cancelled, deleted',
  }),
  pythonClient('openai-3.3', {
    script: 'openai_sdk',
    packages: 'instructor',
    ran: 'the same with an older release',
    quick: false,
  }),
  pythonClient('anthropic', {
    script: 'anthropic_sdk',
    packages: 'sdks',
    ran: `messages: ${CHAT}, tool runner, kept state, history, pictures both ways, refusals, broken streams; counting, models`,
  }),
  pythonClient('google-genai', {
    script: 'google_genai',
    packages: 'sdks',
    ran: `generateContent: ${CHAT}, chats, automatic function calls, pictures both ways, refusals, broken streams; counting, vectors, models`,
  }),
  pythonClient('cohere', {
    script: 'cohere_sdk',
    packages: 'cohere',
    ran: 'reranking and vectors in its second form by models of several vendors, plain and asynchronous; refusals',
  }),
  pythonClient('langchain', {
    script: 'langchain_clients',
    packages: 'langchain',
    ran: `ChatOpenAI (both forms), ChatAnthropic, ChatGoogleGenerativeAI: ${CHAT}, history, pictures, a wrong key`,
  }),
  pythonClient('litellm', {
    script: 'litellm_client',
    packages: 'litellm',
    ran: `its openai, anthropic and gemini providers: ${CHAT}, history, refusals; responses`,
  }),
  pythonClient('pydantic-ai', {
    script: 'pydantic_ai_client',
    packages: 'pydantic-ai',
    ran: `agents on its OpenAI (both forms), Anthropic and Google models: ${CHAT}, history, pictures, a wrong key`,
  }),
  pythonClient('llama-index', {
    script: 'llama_index_client',
    packages: 'llama-index',
    ran: `OpenAILike: ${CHAT}, a wrong key`,
  }),
  pythonClient('instructor', {
    script: 'instructor_client',
    packages: 'instructor',
    ran: 'validated objects by tools and by JSON schema: one, in parts, several',
  }),
  pythonClient('openai-agents', {
    script: 'openai_agents_client',
    packages: 'openai-agents',
    ran: `agents on chat completions and responses: ${CHAT}, several turns, hand-overs`,
  }),
  ...AGENTS,
  ...GENERATORS,
  schemathesis('schemathesis', {
    admin: false,
    ran: 'generated requests to every public operation of the document, seed 1: no 5xx, no undocumented reply',
  }),
  schemathesis('schemathesis-admin', { admin: true, ran: 'the same for the admin operations' }),
  guides,
];
