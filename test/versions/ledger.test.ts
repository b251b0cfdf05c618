import { ledgerCases } from '../n8n/ledgerCases';
import { LedgerHost } from '../n8n/ledgerHost';
import { sharedEditor } from '../n8n/shared';
import { deliveryCases } from '../n8n/triggerCases';
import { TriggerHost } from '../n8n/triggers';
import { describeWorking } from './tested';

describeWorking('Job ledger', () => {
	let host: LedgerHost;
	beforeAll(async () => (host = await LedgerHost.start(await sharedEditor())));
	beforeEach(() => host.reset());
	afterAll(async () => await host?.stop());

	ledgerCases(() => host);
});

describeWorking('Job ledger and trigger', () => {
	let host: TriggerHost;
	beforeAll(async () => (host = await TriggerHost.startShared()));
	afterAll(async () => await host?.stop());

	deliveryCases(() => host);
});
