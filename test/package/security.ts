/** A sentence of SECURITY.md, and the tests that show it: file and name. Or why there can be none. */
export type Promised = [sentence: string, ...shownBy: Array<[file: string, name: string]>] | string;

const ORIGINS = 'test/engine/keyOrigins.test.ts';
const ECHOES = 'test/engine/keyEchoes.test.ts';
const STORED = 'test/engine/keyEchoesStored.test.ts';
const OUTPUTS = 'test/engine/secrets.test.ts';
const DOWNLOAD = 'test/engine/download.test.ts';
const FIELDS = 'test/engine/everyField.test.ts';
const TOOLS = 'test/engine/agentTools.test.ts';
const SPEAKERS = 'test/engine/speakers.test.ts';
const VISITORS = 'test/engine/visitors.test.ts';
const PEOPLE = 'test/engine/conversationPeople.test.ts';
const PAID = 'test/engine/paidOnce.test.ts';
const EXPLORE = 'test/explore/explore.test.ts';
const URLS = 'test/unit/core/urls.test.ts';
const JOBS = 'test/unit/router/jobs.test.ts';
const PAGES = 'test/unit/router/catalogPage.test.ts';
const REDACT = 'test/unit/n8n/redact.test.ts';
const STREAMS = 'test/unit/streams.test.ts';

const toOwnOrigin: [string, string] = [ORIGINS, 'jobs and their files, with the ledger'];
const isInNothing: [string, string] = [ECHOES, 'is in nothing that leaves: %s'];
const byNoModel: [string, string] = [
	FIELDS,
	'%s cannot be an expression, not even one that a model fills',
];
const ofOwnChat: [string, string] = [
	VISITORS,
	'a visitor reaches no session of others, and continues its own: %s',
];
const staysInFolder: [string, string] = [URLS, 'never lets an id leave its folder'];
const byNoVisitor: [string, string] = [
	PEOPLE,
	'a visitor does not answer "%s" for a person who was asked by mail (%j)',
];
const notFollowed: [string, string] = [DOWNLOAD, '%s is told, and is no file'];
const isGivenUp: [string, string] = [
	'test/unit/n8n/n8nVersions.test.ts',
	'give up what would take hours',
];
const SCHEMA = 'test/unit/core/jsonSchema.test.ts';
const inSteps: [string, string] = [SCHEMA, 'gives up where %s'];
const shortKey: [string, string] = [REDACT, 'a key below eight characters: %s in "%s"'];
const onceOnly: [string, string] = [PAID, '%s: sent again only if it was not received'];

/** In the order of the page. A sentence alone promises nothing that a test could show: it asks, names or limits. */
export const PROMISED: Promised[] = [
	'Do not open a public issue.',
	'Use "Report a vulnerability" under the Security tab of the repository, or write to the author\'s address in package.json.',
	'Say which versions of the package and of n8n you used, what you did, and what happened.',
	'Do not include real keys.',
	'Only the latest version gets fixes.',
	'If one of these promises does not hold, that is a vulnerability.',
	['A key is sent only to its own address.', toOwnOrigin],
	[
		'Base URLs begin with `https://`, except for addresses on this machine and the n8n URL of the job ledger.',
		[URLS, 'a base URL %s: %j'],
	],
	[
		'A credential with a job ledger has two keys, each with its own target, even when another node uses the credential.',
		toOwnOrigin,
		[ORIGINS, 'the trigger'],
	],
	[
		"The service's key is sent only to the service's origin (scheme, host and port), and n8n's key only to the Data Tables of n8n's API.",
		toOwnOrigin,
		['test/unit/n8n/headerAuth.test.ts', "n8n's key %s to %s, %s"],
	],
	[
		'Redirects are not followed, except when the file of a job is downloaded: then up to four, one after another.',
		[OUTPUTS, 'does not follow a redirect (%s)'],
		[JOBS, 'is given up after four redirects, and it is said where the last one leads'],
	],
	['An address in a body is never followed.', notFollowed],
	[
		'Each address must begin with `https://` (or lead from this machine to this machine).',
		[URLS, 'from %s to %j is not followed'],
		[JOBS, 'does not lie at http where https has led to, as on this machine'],
	],
	[
		"A redirect of the service gets the key only if it leads to the service's own origin.",
		[DOWNLOAD, '%d to another origin: the key stays here'],
		[DOWNLOAD, 'to the same origin: the key goes along'],
	],
	[
		"A redirect of another server gets the key only below the path of this very job, at the service's own origin.",
		[DOWNLOAD, 'an address of the service %s, where another server leads, gets the key: %s'],
		[URLS, 'is not %j'],
		[JOBS, 'gets the key from the service, and from others only below the path of the job'],
	],
	[
		'The list of allowed domains in a credential is respected.',
		[OUTPUTS, 'keeps to the domains that the credential allows'],
		[ORIGINS, 'Allowed HTTP Request Domains apply to both addresses'],
	],
	['A key does not appear in any output.', isInNothing],
	[
		'A key that a service repeats is removed from outputs, live output, file names, hints, errors, logs and all stored data.',
		isInNothing,
		[STORED, 'emits, hands on and keeps nothing of an echoed key'],
	],
	[
		'This covers the key as it is (in upper and lower case), URL-encoded, escaped for JSON once or twice, and inside base64.',
		[
			REDACT,
			'no key of any form stays, and a stream gives what the whole text would, wherever it is split',
		],
	],
	'It does not cover any other form, such as hexadecimal digits, HTML entities, or a key that is split over two lines: a service knows its own key and has no reason to hide it.',
	[
		'A key of fewer than eight characters is removed only as a whole word, and not inside base64.',
		shortKey,
	],
	['If such a key is a word or a number, it stays in outputs.', shortKey],
	[
		'The credential test warns about it.',
		[
			'test/unit/n8n/credentialTest.keys.test.ts',
			'of the key "%s" it says whether it can be kept out of outputs',
		],
	],
	['An ID does not change the address.', staysInFolder],
	[
		'A job, chat or session ID cannot change the address that a request is sent to.',
		staysInFolder,
		[URLS, 'an ID %s: %j'],
	],
	['The model of an AI agent chooses only what the user allows.', byNoModel],
	[
		'It cannot choose a session, key, spending cap or permission.',
		byNoModel,
		[SPEAKERS, 'only a conversation chooses a session'],
	],
	[
		'It cannot start a paid job unless the user allows it in the tool.',
		[TOOLS, '%s with %j starts nothing, and the message says what to do'],
	],
	['A visitor in a chat can continue only the session of that chat.', ofOwnChat],
	[
		'The data from the Chat Trigger cannot name a session, chat or conversation that a workflow keeps by a key, or that another item names.',
		ofOwnChat,
		[VISITORS, 'a visitor continues no chat by its ID: %s'],
	],
	['It cannot approve anything in place of a person.', byNoVisitor],
	[
		'If a node ends in an error, a visitor who reads along is shown only that it could not answer.',
		[
			'test/n8n/live.test.ts',
			'a visitor of %s reads of a failure that it could not answer, and nothing else',
		],
	],
	'The model of an AI agent is told why its tool has failed, and may repeat it.',
	'See [who can reach which session](docs/sessions.md#who-can-reach-which-session).',
	['Input from a service or a user is limited.', isGivenUp, inSteps],
	[
		'Answers, catalogs and schemas cannot exhaust the memory or block n8n, whatever they contain.',
		inSteps,
		['test/unit/core/sse.test.ts', 'reads two hundred thousand lines in linear time'],
		[PAGES, 'reads at most %s'],
	],
	['Checking an answer against a JSON schema takes a bounded number of steps.', inSteps],
	[
		'A match of your regular expression is given up after 250 ms, and all those of one check after five seconds.',
		isGivenUp,
		[SCHEMA, 'gives up where its matches take more than five seconds together'],
	],
	[
		'Before n8n 2.35, they are not given up: n8n has no such limit there.',
		['test/unit/n8n/n8nVersions.test.ts', 'are those of JavaScript %s'],
	],
	[
		"These are the largest sizes: 64 MiB for an answer, 16 MiB for one of its events, for a job's record and for a page of the catalog, and 64 MiB and 20,000 models for the whole catalog.",
		[
			'test/unit/core/answerReader.test.ts',
			'of %s more than 64 MiB is given up, and its connection closed when it is left',
		],
		['test/unit/core/sse.test.ts', 'one endless event is cut'],
		[PAGES, 'refuses a page of more than 16 MiB'],
		[PAGES, 'reads at most %s'],
	],
	[
		"Only the first 10,000 characters of a moderator's answer are read.",
		[
			'test/unit/conversation/nextTurn.test.ts',
			'of an answer of a moderator its first 10,000 characters count',
		],
	],
	[
		'A request that may cost money is not sent twice, and a request that certainly exceeds a spending cap is not sent.',
		onceOnly,
		[
			'test/engine/money.test.ts',
			'is not rounded up: what could cost half a micro-dollar more is not sent',
		],
	],
	'We treat a way to make the package pay twice like a leak.',
	'You, the owners of credentials and administrators are trusted.',
	['The package points out mistakes.', [PAID, 'a mistake in one item costs nothing for any']],
	'It does not stop you from sending an expensive prompt on purpose.',
	[
		'A service is trusted with its own key, but not to be right: wrong, slow, huge and broken answers do no harm.',
		[STREAMS, 'throws nothing but ServiceError on random bytes, before and after real ones'],
		[STREAMS, 'throws nothing but ServiceError on events of any form'],
	],
	'The package does not guard against a service that hides its own key in its answers.',
	'Models, other agents and strangers in a chat are not trusted.',
	[
		'What they write never chooses a key, a session, a spending cap, a permission, or the address of a request.',
		byNoModel,
		ofOwnChat,
		notFollowed,
	],
	['It cannot exhaust n8n.', isGivenUp, inSteps],
	[
		'Crashes, restarts, wrong clocks and many workers are expected at any time.',
		[EXPLORE, 'one job per key: %s'],
	],
	['Nothing is paid twice, and no ID is lost.', onceOnly, [EXPLORE, 'one delivery per job: %s']],
	'n8n itself, and what an owner or administrator of an n8n instance can do in it',
	'the services',
	'the reference service in `test/service`, which is only for tests and is never published',
	'packages that are used only for development',
];
