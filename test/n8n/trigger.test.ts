import { deliveryCases } from './triggerCases.ts';
import { TriggerHost } from './triggers.ts';

// in the shared n8n, which has n8n's default scheduler; all cases under both schedulers are in test/long
let host: TriggerHost;
beforeAll(async () => (host = await TriggerHost.startShared()));
afterAll(async () => await host?.stop());

deliveryCases(() => host);
