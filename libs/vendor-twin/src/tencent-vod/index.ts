import type { Exchange } from '../core/exchange.ts';
import type { Vendor } from '../core/vendor.ts';
import type { Operation } from '../core/faults.ts';
import { createElement } from './create-element.ts';
import { createVideo } from './create-video.ts';
import { CREDENTIALS, requireSignature } from './signature.ts';
import { complainAsTencent, refuseAsTencent, tencentRefusal } from './errors.ts';
import { deleteElement, describeElements, describeTask, describeTasks, manageTask } from './tasks.ts';

interface Action {
  readonly operation: Operation;
  readonly handle: (exchange: Exchange) => Promise<void> | void;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  CreateAigcVideoTask: { operation: 'create', handle: createVideo },
  DescribeTaskDetail: { operation: 'poll', handle: describeTask },
  DescribeTasks: { operation: 'list', handle: describeTasks },
  ManageTask: { operation: 'cancel', handle: manageTask },
  CreateAigcAdvancedCustomElement: { operation: 'subject', handle: createElement },
  DescribeAigcAdvancedCustomElements: { operation: 'list', handle: describeElements },
  DeleteAigcAdvancedCustomElement: { operation: 'other', handle: deleteElement },
};

function actionOf(exchange: Exchange): Action | undefined {
  const name = exchange.header('x-tc-action') ?? '';
  return Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
}

/** Tencent Cloud VOD: one address, the action in a header, every answer a 200. */
export const tencentVod: Vendor<'tencent-vod'> = {
  name: 'tencent-vod',
  standsFor: [{ vendor: 'tencent-vod' }],
  credentials: () => CREDENTIALS,
  basePath: '',
  routes: [
    {
      method: 'POST',
      path: '/',
      operation: (exchange) => actionOf(exchange)?.operation ?? 'other',
      handle: async (exchange) => {
        if (exchange.header('x-tc-version') !== '2018-07-17') {
          throw tencentRefusal('NoSuchVersion', 'The specified version of the API does not exist.');
        }
        const action = actionOf(exchange);
        if (action === undefined) throw tencentRefusal('InvalidAction', 'The requested API does not exist.');
        const account = Number(CREDENTIALS.sub_app_id);
        if (exchange.json(complainAsTencent).integer('SubAppId') !== account) {
          throw tencentRefusal('InvalidParameterValue.SubAppId', 'The SubAppId is incorrect.');
        }
        await action.handle(exchange);
      },
    },
  ],
  refuse: refuseAsTencent,
  authenticate: requireSignature,
};
