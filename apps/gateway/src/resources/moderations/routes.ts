/** Moderation in OpenAI's form. */
import { OPERATIONS } from '@model-gateway/contracts';
import { findModel, moderationOf, type Catalogue, type ModelRow, type Moderations } from '@model-gateway/core';
import { jsonBody } from '../../http/exchange.ts';
import type { Handlers } from '../../http/operation.ts';
import { mediaControl } from '../../http/request-control.ts';
import { sendWhole } from '../whole-answer.ts';

export interface ModerationRouteParts {
  readonly moderations: Moderations;
  readonly catalogue: () => Catalogue;
}

/** The handler of the moderation operation. */
export function moderationRoutes({ moderations, catalogue }: ModerationRouteParts): Handlers {
  return {
    createModeration: (request, response) =>
      sendWhole(response, async (trace) => {
        const row = findModel(catalogue(), response.locals.exchange.model, ['moderation']);
        const caller = response.locals.exchange.caller;
        const read = (each: ModelRow) => moderationOf(jsonBody(request), each);
        const { path: endpoint } = OPERATIONS.createModeration;
        const { body, results } = await moderations.moderate(
          {
            caller,
            row,
            input: read(row),
            read,
            endpoint,
            ...mediaControl(request, catalogue, caller.key.group),
          },
          trace,
        );
        return { id: `modr-${caller.requestId}`, ...body, model: row.code, results: [...results] };
      }),
  };
}
