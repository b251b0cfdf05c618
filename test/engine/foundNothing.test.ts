import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { agent, chat, job, PICTURE as picture, posts } from './rig/calls';
import { type RunOptions, shownText } from './rig/run';
import { serviceForTests } from './rig/service';

// texts with expressions in them, and fields that are not needed for what was chosen; whole fields are in everyField.test.ts
const service = serviceForTests();

type Made = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;
const execute = async (made: Made, json: IDataObject = {}) =>
	await service.run(made, { items: [json] });

const message = 'hello';
const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';

describe.each<[string, (key: string) => Made]>([
	['Session Key', (sessionKey) => agent({ message, sessionMode: 'key', sessionKey })],
	[
		'Unique Key (Start Only Once)',
		(uniqueKey) => job('start', { ...picture, useLedger: true, uniqueKey }),
	],
])('%s', (label, withKey) => {
	it.each([
		[
			'=customer-{{ $json.id }}',
			/contains {{ \$json\.id }}: its expression found nothing for this item/,
		],
		["={{ 'customer-' + $json.id }}", /reads "customer-undefined": its expression found nothing/],
		['={{ `${$json.id}-7` }}', /reads "undefined-7"/],
		["={{ 'a-' + null }}", /reads "a-null"/],
		['={{ "a " + Number($json.id) }}', /reads "a NaN"/],
		['={{ "a-" + $json }}', /reads "a-\[object Object\]"/],
		['={{ [$json.id] }}{{ $json.id }}', /is empty/],
		['={{ [] }}', /is empty: its expression found nothing/],
		['={{ [$json.id] }}', /is empty: its expression found nothing/],
		['=customer-{{ [] }}', /contains {{ \[\] }}: its expression found nothing/],
		['=customer-{{ $json.id ?? "" }}', /}}: its expression gave an empty text for this item/],
	])('of a part that finds nothing would be that of others, too: %s', async (key, sentence) => {
		const { error } = await execute(withKey(key));
		expect(error?.message).toMatch(sentence);
		expect(error?.message.startsWith(label)).toBe(true);
		expect(service.requests).toEqual([]);
	});
});

it.each(['annullato', 'undefinedness', '={{ "x-" + $json.id }}'])(
	'a key that only looks like nothing is one: %s',
	async (sessionKey) => {
		const made = agent({ message, sessionMode: 'key', sessionKey });
		const { error, items } = await execute(made, { id: 7 });
		expect([error, items.length]).toEqual([undefined, 1]);
	},
);

it('a message may have gaps', async () => {
	await execute(agent({ message: '=Hello {{ $json.name }}!' }));
	expect(posts(service)[0]?.body).toEqual({ content: 'Hello !' });
});

it.each([
	'={{ DateTime.fromISO("nonsense") }}',
	'={{ Number($json.missing) }}',
	'= {{ $json.missing }}\n',
	'=',
])('a message of %s is none', async (nothing) => {
	const { error } = await execute(agent({ message: nothing }));
	expect(shownText(error)).toMatch(
		/^Message is empty: its expression found nothing for this item\./,
	);
	expect(service.requests).toEqual([]);
});

const JSON_FIELD = 'Options: Additional Parameters \\(JSON\\)';
it.each([
	[
		'a value that is nothing but an expression',
		'={"size": "{{ $json.size }}", "n": 1}',
		`^${JSON_FIELD} contains {{ \\$json\\.size }}: its expression found nothing for this item`,
	],
	['an object as it is stored', { size: '={{ $json.size }}' }, `^${JSON_FIELD}: size is empty`],
])('in JSON %s has to find something', async (_what, parameters, sentence) => {
	const { error } = await execute(
		job('start', { ...picture, options: { parameters: parameters as string } }),
	);
	expect(error?.message).toMatch(new RegExp(sentence));
	expect(posts(service)).toEqual([]);
});

it('in JSON a text may have gaps', async () => {
	const parameters = '={"size": "{{ $json.size }}", "style": "as in {{ $json.style }}"}';
	await execute(job('start', { ...picture, options: { parameters } }), { size: 'xl' });
	expect(posts(service)[0]?.body).toMatchObject({ size: 'xl', style: 'as in ' });
});

describe('what is not shown for what an expression chose', () => {
	const session = { message, sessionMode: '={{ $json.session }}', sessionId };
	const withKey = agent({ ...session, sessionKey: '={{ $json.key }}' });
	const row = { role: '={{ $json.role }}', content: 'hello', toolCallId: '={{ $json.a }}' };

	it.each([
		['a session key', withKey, { session: 'new' }],
		[
			'a field of a row',
			chat('', { inputType: 'list', messages: { message: [row] } } as INodeParameters),
			{ role: 'user' },
		],
		[
			'a preset of another kind of media',
			job('start', {
				...picture,
				mediaType: '={{ $json.kind }}',
				options: { duration: '={{ $json.duration }}' },
			}),
			{ kind: 'images' },
		],
	])('%s is not judged', async (_what, made, json) => {
		expect((await execute(made, json)).error).toBeUndefined();
		expect(posts(service)).toHaveLength(1);
	});

	it('but what is shown is', async () => {
		const { error } = await execute(withKey, { session: 'key' });
		expect(error?.message).toMatch(/^Session Key is empty: its expression found nothing/);
		expect(service.requests).toEqual([]);
	});
});
