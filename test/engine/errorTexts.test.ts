import type { INodeParameters } from 'n8n-workflow';

import { RUNBOOK } from '../../src/n8n/documentation';
import { contraryForTests, type Said } from './contrary';
import {
	agent,
	assistant,
	chat,
	job,
	model,
	models,
	type Paying,
	PICTURE,
	response,
} from './rig/calls';
import { run, shownText } from './rig/run';

// what the editor shows of an error: its title says what happened, the description what to do
const service = contraryForTests();

const RUN = `See the runbook: ${RUNBOOK}`;
const UNKNOWN = 'Outcome: unknown; it may have been carried out, and may be charged.';
const NOT_STARTED = 'Outcome: nothing was started, nothing is charged.';
const CHECK = (what: string) =>
	`It is not known whether the service received the ${what}; it may be carried out and charged. Check before sending it again.`;
const CHECK_404 =
	'Check what the node asks for, such as the model or an ID, and the base URL of the credential.';

const said = (status: number, body: unknown, type = 'application/json'): Said => ({
	status,
	type,
	body: typeof body === 'string' ? body : JSON.stringify(body),
});
const PROVIDER = { error: { code: 502, message: 'Provider returned error' } };
const REPORTED = 'The service reported an error: Provider returned error';
const NO_MODEL = { error: { message: 'The model does not exist' } };

const unpriced = { options: { allowUnknownCost: true } };
const quil = { model: model('northwind/quil-2.5') };
const MEANT =
	'The catalog does not have the model northwind/quil-2.5. Did you mean northwind/quill-2.5?';
const CORRECT = 'Choose a model from the list, or correct its ID.';
const NOT_SENT = `Nothing was sent. ${CORRECT}`;
const ALLOW =
	'To send it anyway, turn on "Allow Unknown Cost" in Options: no spending cap then limits what it costs.';

const SESSION = '6e2b41a3-2f4e-4d5c-9f57-0b8f0f5c1a2b';
const AGENT = agent({ message: 'x', sessionMode: 'id', sessionId: SESSION });

/** Ended by its mark, so that only the error is told. */
const streamed = `data: ${JSON.stringify(PROVIDER)}\n\ndata: [DONE]\n\n`;
const CHARGED =
	'What arrived may be charged. Look at it, in "partial", before you ask again: that is charged again.';
const RECEIVED = 'Outcome: the service received it; what it did may be charged.';

/** The call; what a POST gets, and what else is asked for, unless it is the catalog; title and description. */
type Row = [
	what: string,
	call: Paying,
	answer: Said | undefined,
	title: string,
	...lines: string[],
];

const reports = (asked: string, call: Paying): Row => [
	`200 with an error, at a ${asked}`,
	call,
	said(200, PROVIDER),
	REPORTED,
	CHECK(asked),
	'Code: 502.',
	UNKNOWN,
	'No text had arrived.',
	RUN,
];
const REPORTS: Row[] = [
	reports('chat request', chat('x')),
	reports('request for a response', response('x')),
	[
		'200 with an error, as a stream',
		chat('x'),
		said(200, streamed, 'text/event-stream'),
		REPORTED,
		CHARGED,
		'Code: 502.',
		RECEIVED,
		'No text had arrived.',
	],
	[
		'200 with an error, in place of a job',
		job('start', PICTURE),
		said(200, PROVIDER),
		REPORTED,
		CHECK('job start'),
		'Code: 502.',
		UNKNOWN,
		RUN,
	],
	[
		'200 with an error, in place of an answer of the assistant',
		assistant('ask', { question: 'x' }),
		said(200, { error: 'Out of credits' }),
		'The service reported an error: Out of credits',
		CHECK('question'),
		UNKNOWN,
		'No text had arrived.',
		RUN,
	],
	[
		'200 with an error, in place of an answer of an agent',
		AGENT,
		said(200, { error: 'Out of credits' }),
		`The service reported an error: Out of credits (sessionId: ${SESSION})`,
		CHARGED,
		RECEIVED,
		'No text had arrived.',
	],
];

const NOTHING_HERE = 'The service has nothing at this address or with this ID (404)';
const NO_SUCH_MODEL = 'The service says: The model does not exist.';
const KEY_REFUSED = 'The service refused the API key (401)';
const refusesKey = (call: Paying, ids = ''): Row => [
	`a key that ${call.node} refuses`,
	call,
	said(401, {}),
	KEY_REFUSED + ids,
	'The service says: {}.',
	`Copy the API key into the credential "${call.credential}" again: it has to be a key of this service.`,
	NOT_STARTED,
	RUN,
];
const REFUSALS: Row[] = [
	refusesKey(AGENT, ` (sessionId: ${SESSION})`),
	refusesKey(chat('x')),
	[
		'a text model that the service does not know',
		chat('x'),
		said(404, NO_MODEL),
		NOTHING_HERE,
		NO_SUCH_MODEL,
		CHECK_404,
		NOT_STARTED,
	],
	[
		'a text model that neither service nor catalog knows',
		chat('x', { ...quil, ...unpriced }),
		said(404, NO_MODEL),
		NOTHING_HERE,
		NO_SUCH_MODEL,
		`${MEANT} ${CORRECT}`,
		NOT_STARTED,
	],
	[
		'a job that the service does not know',
		job('getJob', { mediaType: 'images', jobId: 'j' }),
		said(404, { message: 'no such job' }),
		'The service has no job with this ID (404) (jobId: j)',
		'The service says: no such job.',
		'Check the job ID, the media type of the job, and the base URL of the credential.',
	],
];

const attached = (name: string): INodeParameters => ({
	attachments: { attachment: [{ file: name, modality: 'auto' }] },
});
const BASE64 = 'iVBORw0KGgo'.repeat(100_000);
const AS_NAME = `Attachments 1: the input item has no file in "${BASE64.slice(0, 80)}…"`;
const MISTAKES: Row[] = [
	['a text model with a typo', chat('x', quil), undefined, MEANT, NOT_SENT],
	[
		'an image model with a typo',
		job('start', { ...PICTURE, model: model('Canvas/Sketch') }),
		undefined,
		'The catalog does not have the model Canvas/Sketch. Did you mean canvas/sketch-1?',
		NOT_SENT,
	],
	[
		'a model that is near none',
		chat('x', { model: model('northwind/opal-9') }),
		undefined,
		'The catalog does not have the model northwind/opal-9',
		`${NOT_SENT} For one that the list lacks, enter a line such as "northwind/opal-9 0.25 2" in Prices of the credential "modelRouterApi". Zero counts only in your own network. ${ALLOW}`,
	],
	[
		'a model to get, with a typo',
		models('getModel', quil),
		said(404, NO_MODEL),
		MEANT,
		NO_SUCH_MODEL,
		CORRECT,
	],
	[
		'a file as Base64 in place of a name',
		chat('x', attached('={{ $json.image }}')),
		undefined,
		AS_NAME,
		'This looks like a file itself, and not like the name of a field with a file. Put n8n\'s node "Convert to File" (Move Base64 String to File) before this one, and enter the name of its output field. Or enter data:image/png;base64, followed by the Base64.',
	],
];

it.each([...REPORTS, ...REFUSALS, ...MISTAKES])('%s', async (...row) => {
	const [, call, answer, title, ...lines] = row;
	service.answer(({ url = '' }) => (url === '/v1/models' ? undefined : answer));
	const items = [{ image: BASE64 }];
	const { error } = await run({ ...call, items, secrets: service.secrets });
	expect([error?.message, ...(error?.description?.split('\n') ?? [])]).toEqual([title, ...lines]);
	// what is stored with the execution
	expect(JSON.stringify([error, error?.stack]).length).toBeLessThan(10_000);
});

// n8n adds "Custom API Call" to the operations of a node, and a language model may choose it
const CHOSEN = '__CUSTOM_API_CALL__';

it.each([
	['an operation of the Model Router', models(CHOSEN)],
	['a resource of the Model Router', models('getModel', { resource: CHOSEN })],
])('"Custom API Call" as %s is answered with what to use', async (_what, call) => {
	service.answer(() => undefined);
	const { error } = await run({ ...call, secrets: service.secrets });
	expect(shownText(error)).toMatch(
		/does not support "Custom API Call".*use an HTTP Request node.*choose this node's credential/,
	);
	expect(service.asked).toEqual([]);
});
