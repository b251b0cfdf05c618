import { keyCase, ledgerCases } from './ledgerCases';
import { LedgerHost } from './ledgerHost';
import { sharedEditor, sharedLog } from './shared';

// in the shared n8n; on PostgreSQL, and in many rounds, it is in test/long
let host: LedgerHost;
beforeAll(async () => (host = await LedgerHost.start(await sharedEditor())));
beforeEach(() => host.reset());
afterAll(async () => await host?.stop());

ledgerCases(() => host);

keyCase(() => host, sharedLog);
