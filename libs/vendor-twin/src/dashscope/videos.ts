import type { Exchange } from '../core/exchange.ts';
import { sizeFor } from '../core/geometry.ts';
import { withoutMarkers } from '../core/markers.ts';
import type { Route } from '../core/vendor.ts';
import { startJob, videoLink } from '../core/work.ts';
import { complainAsDashScope, dashScopeRefusal } from './errors.ts';
import { requireAsync } from './tasks.ts';
import { readDashScopeVideo } from './video-request.ts';

/** The twin cannot look into a client's video: every one of them is this long. */
const INPUT_SECONDS = 5;

export const videoRoute: Route = {
  method: 'POST',
  path: '/api/v1/services/aigc/video-generation/video-synthesis',
  operation: 'create',
  handle: create,
};

async function create(exchange: Exchange): Promise<void> {
  requireAsync(exchange);
  const video = readDashScopeVideo(exchange.json(complainAsDashScope));
  const markers = await exchange.obey(video.prompt);
  if (markers.words.has('refuse')) {
    throw dashScopeRefusal(400, 'DataInspectionFailed', 'Input data may contain inappropriate content.');
  }
  const { stage } = exchange;
  const size = sizeFor(video.resolution, video.ratio);
  const seconds = video.isEdit ? INPUT_SECONDS : video.duration;
  const input = video.isEdit ? INPUT_SECONDS : 0;
  const job = startJob(exchange, markers, {
    id: stage.newId('0b6a1c1e-'),
    kind: 'video',
    model: video.model,
    prompt: video.prompt,
    usage: { seconds: seconds + input, videos: 1 },
    details: {
      output: {
        orig_prompt: withoutMarkers(video.prompt),
        video_url: videoLink(stage, {
          ...size,
          seconds,
          audio: true,
          prompt: video.prompt,
          ...(video.seed !== undefined && { seed: video.seed }),
        }),
      },
      usage: {
        duration: seconds + input,
        input_video_duration: input,
        output_video_duration: seconds,
        video_count: 1,
        SR: Number.parseInt(video.resolution, 10),
        ratio: video.ratio,
      },
    },
  });
  exchange.reply(200, { output: { task_status: 'PENDING', task_id: job.id }, request_id: stage.newId('') });
}
