/** What vendors' webhooks need of a configuration. */
import type { ConfigFault } from './fault.ts';
import { isSafeAddress } from './single-sign-on.ts';

/** Vendors are given addresses below `server.public_url`: whoever reads one could call it. */
export function vendorWebhookFaults(file: {
  readonly tasks?: { readonly vendor_webhooks?: boolean | undefined } | undefined;
  readonly server?: { readonly public_url?: string | undefined } | undefined;
}): readonly ConfigFault[] {
  const address = file.server?.public_url;
  if (file.tasks?.vendor_webhooks !== true || (address !== undefined && isSafeAddress(address))) return [];
  const message = 'needs the https address at which vendors reach the gateway, because of tasks.vendor_webhooks';
  return [{ path: ['server', 'public_url'], message }];
}
