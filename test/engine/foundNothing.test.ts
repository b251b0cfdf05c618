import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { agent, assistant, job, posts, secretsOf } from './rig/calls';
import { run, type RunOptions, shownText } from './rig/run';

// texts with expressions in them, and fields that are not needed for what was chosen
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

type Made = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;
const execute = async (made: Made, json: IDataObject = {}) =>
	await run({ ...made, secrets: secretsOf(service), items: [json] });

const sessionId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const picture = {
	mediaType: 'images',
	model: { __rl: true, mode: 'id', value: 'canvas/sketch-1' },
	prompt: 'a cat',
};
const keys: Array<[string, (key: string) => Made]> = [
	['Session Key', (sessionKey) => agent({ message: 'hello', sessionMode: 'key', sessionKey })],
	[
		'Session Key',
		(sessionKey) => assistant('ask', { question: 'hello', sessionMode: 'key', sessionKey }),
	],
	[
		'Unique Key (Start Only Once)',
		(idempotencyKey) => job('start', { ...picture, useLedger: true, idempotencyKey }),
	],
];

describe.each(keys)('%s', (label, withKey) => {
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
	])('of a part that finds nothing would be that of others, too: %s', async (key, message) => {
		const { error } = await execute(withKey(key));
		expect(error?.message).toMatch(message);
		expect(error?.message.startsWith(label)).toBe(true);
		expect(service.requests).toEqual([]);
	});
});

it.each(['annullato', 'nullable-5', 'undefinedness', '={{ "x-" + $json.id }}'])(
	'a key that only looks like nothing is one: %s',
	async (sessionKey) => {
		const made = agent({ message: 'hello', sessionMode: 'key', sessionKey });
		const { error, items } = await execute(made, { id: 7 });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	},
);

it('a message may have gaps', async () => {
	await execute(agent({ message: '=Hello {{ $json.name }}!' }));
	expect(posts(service)[0]?.body).toEqual({ content: 'Hello !' });
});

it.each([
	['={{ DateTime.fromISO("nonsense") }}'],
	['={{ new Date("nonsense") }}'],
	['={{ Number($json.missing) }}'],
	['= {{ $json.missing }}\n'],
	['={{ $json.missing.deeper.still }}'],
	['='],
])('a message of %s is none', async (message) => {
	const { error } = await execute(agent({ message }));
	expect(shownText(error)).toMatch(
		/^Message is empty: its expression found nothing for this item\./,
	);
	expect(service.requests).toEqual([]);
});

describe('JSON', () => {
	const start = async (parameters: unknown, json?: IDataObject) =>
		await execute(job('start', { ...picture, parameters: parameters as string }), json);

	it.each<[string, unknown, RegExp]>([
		[
			'a value that is nothing but an expression',
			'={"size": "{{ $json.size }}", "n": 1}',
			/^Additional Parameters \(JSON\) contains {{ \$json\.size }}: its expression found nothing for this item/,
		],
		[
			'a value without quotes',
			'={"n": {{ $json.n }}}',
			/^Additional Parameters \(JSON\) is not valid JSON/,
		],
		[
			'an object as it is stored',
			{ size: '={{ $json.size }}' },
			/^Additional Parameters \(JSON\): size is empty/,
		],
	])('%s has to find something', async (_what, parameters, message) => {
		const { error } = await start(parameters);
		expect(error?.message).toMatch(message);
		expect(posts(service)).toEqual([]);
	});

	it('a text in it may have gaps', async () => {
		await start('={"size": "{{ $json.size }}", "style": "as in {{ $json.style }}"}', {
			size: 'xl',
		});
		expect(posts(service)[0]?.body).toMatchObject({ size: 'xl', style: 'as in ' });
	});
});

describe('what is not shown for what an expression chose', () => {
	it.each<[string, Made, IDataObject]>([
		[
			'a session key',
			agent({
				message: 'hello',
				sessionMode: '={{ $json.session }}',
				sessionId,
				sessionKey: '={{ $json.key }}',
			}),
			{ session: 'new' },
		],
		[
			'an input of a row',
			job('start', {
				...picture,
				inputs: {
					input: [
						{
							...{ name: 'image', source: '={{ $json.source }}', url: 'https://example.com/a.png' },
							binaryProperty: '={{ $json.property }}',
						},
					],
				},
			} as INodeParameters),
			{ source: 'url' },
		],
		[
			'a preset of another kind of media',
			job('start', {
				...{ ...picture, mediaType: '={{ $json.kind }}' },
				presets: { duration: '={{ $json.duration }}' },
			}),
			{ kind: 'images' },
		],
	])('%s is not judged', async (_what, made, json) => {
		const { error } = await execute(made, json);
		expect(error).toBeUndefined();
		expect(posts(service)).toHaveLength(1);
	});

	it('but what is shown is', async () => {
		const made = agent({
			...{ message: 'hello', sessionMode: '={{ $json.session }}', sessionId },
			sessionKey: '={{ $json.key }}',
		});
		const { error } = await execute(made, { session: 'key' });
		expect(error?.message).toMatch(/^Session Key is empty: its expression found nothing/);
		expect(service.requests).toEqual([]);
	});
});
