import { ledgerCases } from '../n8n/ledgerCases';
import { LedgerHost } from '../n8n/ledgerHost';
import { sharedEditor } from '../n8n/shared';
import { deliveryCases } from '../n8n/triggerCases';
import { TriggerHost } from '../n8n/triggers';
import { describeWorking, has, tested } from './tested';

const describeWith = has('ledger') ? describeWorking : describe.skip;
const describeWithout = has('ledger') ? describe.skip : describeWorking;

describeWith('Job ledger', () => {
	let host: LedgerHost;
	beforeAll(async () => (host = await LedgerHost.start(await sharedEditor())));
	beforeEach(() => host.reset());
	afterAll(async () => await host?.stop());

	ledgerCases(() => host, !tested.givesAllScopes);
});

describeWith('Job ledger and trigger', () => {
	let host: TriggerHost;
	beforeAll(async () => (host = await TriggerHost.startShared()));
	afterAll(async () => await host?.stop());

	deliveryCases(() => host);
});

describeWithout('Without a job ledger', () => {
	let host: LedgerHost;
	beforeAll(async () => (host = await LedgerHost.start(await sharedEditor(), ['workflow:list'])));
	afterAll(async () => await host?.stop());

	it('a start with a ledger is refused before anything is sent, and says which version it needs', async () => {
		const { error } = await host.setUp();
		expect(`${error?.message} ${error?.description}`).toContain(
			'The job ledger needs n8n 2.7 or newer',
		);
	});

	it('the credential test says it', async () => {
		expect(await host.editor.testCredential(host.account)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('2.7 or newer'),
		});
	});
});
