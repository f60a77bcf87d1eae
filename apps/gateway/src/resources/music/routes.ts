/** Music and sound effects. */
import { OPERATIONS } from '@model-gateway/contracts';
import { findModel, musicOf, type Catalogue, type Music } from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { Handlers } from '../../http/operation.ts';
import { pipeBody, writeTrace } from '../../http/reply.ts';
import { mediaControl } from '../../http/request-control.ts';
import { startsNow, withTrace } from '../speech/routes.ts';

export interface MusicRouteParts {
  readonly music: Music;
  readonly catalogue: () => Catalogue;
  readonly now: () => number;
}

/** Handlers of the music operation. */
export function musicRoutes(parts: MusicRouteParts): Handlers {
  return {
    async createMusic(request, response) {
      const body = jsonBody(request);
      const row = findModel(parts.catalogue(), response.locals.exchange.model, ['music']);
      const caller = response.locals.exchange.caller;
      await withTrace(response, async (trace) => {
        const { mime, audio } = await parts.music.compose(
          {
            caller,
            row,
            input: musicOf(body, row),
            read: (each) => musicOf(body, each),
            endpoint: OPERATIONS.createMusic.path,
            ...mediaControl(request, parts.catalogue, caller.key.group),
          },
          trace,
        );
        writeTrace(response, trace);
        startsNow(parts, response);
        response.writeHead(200, { 'content-type': mime });
        await pipeBody(audio, response);
      });
    },
  };
}
