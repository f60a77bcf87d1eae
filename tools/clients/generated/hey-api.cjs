// What to do with the client that @hey-api/openapi-ts made: argv[2] is its folder, as JavaScript, argv[3] chat, models or video.
const { join } = require('node:path');
const { readFileSync } = require('node:fs');

const [folder, what] = process.argv.slice(2);
const codes = JSON.parse(readFileSync(join(__dirname, '../models.json'), 'utf8'));
const { client } = require(join(folder, 'client.gen.js'));
const sdk = require(join(folder, 'sdk.gen.js'));

const WORK = {
  async chat() {
    const body = { model: codes.chat.openai, messages: [{ role: 'user', content: 'Say hello' }] };
    const { data } = await sdk.createChatCompletion({ body });
    check(data.choices[0].message.content.includes('Say hello'), data);
  },
  async models() {
    const { data } = await sdk.listModels();
    check(Array.isArray(data.data), data);
  },
  async video() {
    let { data: video } = await sdk.createVideo({ body: { model: codes.video, prompt: 'a lighthouse', seconds: '4' } });
    const path = { video_id: video.id };
    while (video.status === 'queued' || video.status === 'in_progress') {
      await new Promise((resolve) => setTimeout(resolve, 500));
      video = (await sdk.getVideo({ path })).data;
    }
    check(video.status === 'completed', video);
    const file = await sdk.getVideoContent({ path, parseAs: 'arrayBuffer' });
    check(Buffer.from(file.data).toString('latin1', 4, 8) === 'ftyp', 'not an mp4');
  },
};

function check(holds, told) {
  if (!holds) throw new Error(JSON.stringify(told).slice(0, 500));
}

client.setConfig({ baseUrl: process.env.GATEWAY, auth: () => process.env.KEY, throwOnError: true });
WORK[what]().catch((error) => {
  console.error(error);
  process.exit(1);
});
