import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { contraryForTests } from './contrary';
import {
	budget,
	chat,
	failPosts,
	job,
	model,
	NOVELIST,
	type Paying,
	PICTURE,
	spending,
} from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, type Outcome, type RunOptions } from './rig/run';

// Mistakes that people make, and all that they read then: what is wrong, and what to do. Nobody has to open a page for one. More are in
// errorTexts, catalog, budget, ledger and ledgerTable, word for word
const rig = startLedgerRig();
const contrary = contraryForTests();

let accounts = 0;
/** Of an account that no other mistake was made with: what is read of an account is kept. */
const account = (fields: IDataObject = {}) => {
	const apiKey = `key-of-the-mistake-${++accounts}`;
	rig.service.setBalance(100_000_000, apiKey);
	return rig.account({ apiKey, ...fields });
};
const send = async (call: Paying, secrets: RunOptions['secrets'], more: Partial<RunOptions> = {}) =>
	await run({ ...call, secrets, ...more });
const asked = (more: INodeParameters = {}) => chat('Hello', more);
/** With another credential than a good one. */
const by = async (fields: IDataObject, call = asked()) => await send(call, account(fields));
/** With a good credential. */
const of = async (call: Paying, more: Partial<RunOptions> = {}) =>
	await send(call, account(), more);
const picture = (more: INodeParameters = {}) => job('start', { ...PICTURE, ...more });
const image = (mimeType = 'image/png') => ({
	data: { data: 'iVBORw0KGgo=', mimeType, fileName: 'a' },
});
const attached = (name: string, more: INodeParameters = {}) =>
	asked({
		attachments: { attachment: [{ file: name, modality: 'auto' }] },
		...more,
	});
const PRISM = model('aurora-labs/prism-4.1-turbo');

const lists = (...ids: string[]) => ({
	modelLists: { list: [{ name: 'pictures', models: ids.join('\n'), order: 'asListed' }] },
});
const fromList = (value: string) => ({ model: { __rl: true, mode: 'modelList', value } });
const UNPRICED = 'a model that nobody has';

type Mistake = [what: string, make: () => Promise<Outcome>, title: RegExp, advice: RegExp];

const ADDRESSES: Mistake[] = [
	['no host', () => by({ baseUrl: 'https://nobody.invalid' }), /host name/, /base URL/],
	['nothing listens', () => by({ baseUrl: 'http://127.0.0.1:9' }), /nothing answers/, /base URL/],
	[
		'https where the service speaks http',
		() => by({ baseUrl: rig.service.url.replace('http:', 'https:') }),
		/https/,
		/http:\/\/ or https:\/\//,
	],
	['http outside of this machine', () => by({ baseUrl: 'http://example.org' }), /https/, /./],
	[
		'a wrong n8n URL',
		async () => {
			// a web page would be taken for an n8n that starts, and asked again for a while
			contrary.answer(() => ({ status: 404, type: 'application/json', body: '{}' }));
			const n8nUrl = String(contrary.secrets['modelRouterApi']?.['baseUrl']);
			return await send(job('start', { ...PICTURE, useLedger: true }), rig.secrets({ n8nUrl }));
		},
		/job ledger could not be used/,
		/n8n URL/,
	],
];

const CATALOG: Mistake[] = [
	[
		'the catalog fails, with a budget',
		async () => {
			const fault: Fault = { type: 'status', status: 500 };
			rig.service.fault({ match: { path: '/v1/models' }, times: Infinity, do: fault });
			return await by({ budgetUsd: '1' });
		},
		/catalog.*500/,
		/later/,
	],
];

const MODELS: Mistake[] = [
	[
		'no model',
		// n8n itself refuses to run the node
		() => of(asked({ model: model('') })).catch((error: Error) => ({ error }) as Outcome),
		/Parameter "Model" is required/,
		/^undefined$/,
	],
	['no prompt of a text', () => of(chat('')), /empty/, /./],
	['no prompt of a picture', () => of(picture({ prompt: '' })), /Prompt is empty/, /Prompt/],
	[
		UNPRICED,
		() => of(asked({ model: model('northwind/opal-9') })),
		/does not have the model northwind\/opal-9/,
		/list, or correct its ID/,
	],
	[
		'a model of pictures for a text',
		() => of(asked({ model: model('canvas/sketch-1') })),
		/makes images/,
		/Media/,
	],
	[
		'a text model for a picture',
		() => of(picture({ model: model('northwind/quill-2.5') })),
		/./,
		/Text/,
	],
	[
		'a list that is not there',
		() => by(lists('northwind/quill-2.5'), asked(fromList('picture'))),
		/picture/,
		/pictures/,
	],
	[
		'a list of models that cannot answer',
		() => by(lists('canvas/sketch-1', 'canvas/Oil.Paint-2'), asked(fromList('pictures'))),
		/No model of the list/,
		/./,
	],
];

const COSTS: Mistake[] = [
	[
		'a cap that is too small for a text',
		() => of(asked({ model: NOVELIST, spendingCapPerItem: 0.001 })),
		/could cost up to/,
		/Maximum Output Tokens/,
	],
	[
		'a cap that is too small for a picture',
		() => of(picture({ spendingCapPerItem: 0.001 })),
		/at least/,
		/Spending Cap/,
	],
	['a cap of 0', () => of(asked({ spendingCapPerItem: 0 })), /0/, /Spending Cap per Item/],
	[
		'a picture for a model with a large window',
		async () =>
			await of(attached('data', { model: PRISM, spendingCapPerItem: 0.00001 }), { files: image() }),
		/could cost up to/,
		/Spending Cap/,
	],
	[
		'an empty balance',
		async () => {
			const apiKey = 'key-of-a-poor-account';
			rig.service.setBalance(2000, apiKey);
			return await by({ apiKey }, asked({ model: NOVELIST }));
		},
		/402/,
		/[Tt]op up/,
	],
	[
		'an empty balance, for a picture',
		async () => {
			const apiKey = 'key-of-another-poor-account';
			rig.service.setBalance(2000, apiKey);
			return await by({ apiKey }, picture());
		},
		/402/,
		/[Tt]op up/,
	],
	[
		'a request that does not fit the budget',
		() => by({ budgetUsd: '0.01' }, asked({ model: NOVELIST })),
		/does not fit/,
		/raise Budget/,
	],
	[
		'a budget without a ledger',
		() => by({ budgetUsd: '1', useJobLedger: false }),
		/only works with "Use a Job Ledger"/,
		/Turn on "Use a Job Ledger" in the credential "modelRouterApi"/,
	],
	['Budget: Get without a budget', () => of(budget('getBudget')), /budget/, /Budget \(USD\)/],
	[
		'a reservation that is not there',
		() =>
			by({ budgetUsd: '1' }, budget('release', { findBy: 'reservationId', reservationId: 'abc' })),
		/no reservation "abc"/,
		/lists the reservations/,
	],
	[
		'Spending: Get without a record',
		() => of(spending('getSpending')),
		/[Rr]ecord/,
		/Record Spending/,
	],
];

const FIELDS: Mistake[] = [
	[
		'an expression without a value',
		() => of(asked({ model: '={{ $json.nothing }}' as never })),
		/Model/,
		/./,
	],
	[
		'JSON that is none',
		() => of(picture({ options: { parameters: '{"a":' } })),
		/not valid JSON/,
		/./,
	],
	[
		'a schema with a wrong type',
		() => of(asked({ responseFormat: 'json_schema', jsonSchema: '{"type":"objekt"}' })),
		/"objekt" is none of \["array",.*"object"/,
		/Nothing was sent/,
	],
	['no file', () => of(attached('data')), /no file in "data"/, /must pass the file on/],
	[
		'a file for a model that takes none',
		() => of(attached('data'), { files: image() }),
		/./,
		/model/,
	],
	[
		'a job ID that is none',
		() => of(job('getJob', { mediaType: 'images', jobId: 'my picture' })),
		/no job with this ID.*my picture/,
		/Check the job ID/,
	],
	[
		'a key that the ledger does not know',
		() => rig.ledger('markNotStarted', { uniqueKey: 'order-8' }),
		/no start with the key "order-8"/,
		/Get Many/,
	],
	[
		'a start whose outcome is known',
		async () => {
			await run(rig.starting('one', { uniqueKey: 'order-9' }));
			return await rig.ledger('markNotStarted', { uniqueKey: 'order-9' });
		},
		/outcome of the start in entry 1 is known/,
		/nothing to decide: its state is "pending", its job/,
	],
	[
		'too many requests',
		async () => {
			failPosts(rig.service, { type: 'too_many_requests', retryAfter: 600 });
			return await of(asked({ requestSettings: { maxRateLimitWait: 0 } }));
		},
		/too many requests \(429\)/,
		/wait 600 s/,
	],
];

const ROWS = [...ADDRESSES, ...CATALOG, ...MODELS, ...COSTS, ...FIELDS];

it.each(ROWS)('%s', async (what, make, title, advice) => {
	const outcome = await make();
	const { error } = outcome;
	expect(error?.message).toMatch(title);
	expect(String(error?.description).replaceAll('\n', ' ')).toMatch(advice);
	// the switch that lifts all caps helps only where nobody knows the price, and says what it means
	const lifts = String(error?.description).includes('Allow Unknown Cost');
	expect([what, lifts]).toEqual([what, what === UNPRICED]);
	if (lifts) expect(error?.description).toMatch(/: no spending cap then limits what it costs\.$/);
});
