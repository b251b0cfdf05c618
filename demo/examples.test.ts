import {
	DEMO_EXAMPLES,
	demoError,
	demoLine,
	demoResult,
	ofThisWeek,
	PICTURE,
	reportLines,
	talkLines,
} from './examples';
import { GALLERY, readExample } from '../test/n8n/example';
import type { Execution, Item } from '../test/n8n/execution';

it('names every workflow of the gallery once', () => {
	const told = DEMO_EXAMPLES.map(({ file }) => file);
	expect([...told].sort()).toEqual(GALLERY);
	expect(new Set(told).size).toBe(told.length);
});

it('opens with two agents that talk', () => {
	expect(DEMO_EXAMPLES[0]?.file).toBe('two-agents-agree-on-a-date.json');
});

it.each([PICTURE, ...DEMO_EXAMPLES])(
	'$file: the nodes to look at are there, and one that waits says for what',
	(example) => {
		const { file, node, look = '', says, waits, then } = example;
		const { name, nodes } = readExample(file);
		const names = nodes.map((each) => each.name);
		const named = [...look.matchAll(/"([A-Z][^"]+)"/g)].map(([, each]) => each);
		expect(names).toEqual(expect.arrayContaining(named));
		expect(look !== '').toBe(node !== undefined);
		if (node === undefined) expect(waits).toMatch(/^waits /);
		else expect(names).toContain(node);
		// the demo runs what can be run without anybody
		const has = (kind: RegExp) => nodes.some(({ type }) => kind.test(type));
		if (says !== undefined) expect(has(/\.chatTrigger$/)).toBe(true);
		const isReport = file.startsWith('spending-report');
		const canRun = has(/\.manualTrigger$/) || says !== undefined || isReport;
		expect(node !== undefined).toBe(canRun);
		const asks = nodes.some(({ parameters }) => parameters['operation'] === 'sendAndWait');
		expect(waits !== undefined).toBe(!canRun || asks || has(/\.wait$/));
		// what goes on by itself is told to its end
		expect(then !== undefined).toBe(has(/\.wait$/) && canRun);
		if (then !== undefined) expect(names).toContain(then);

		const line = demoLine(name, example, 'It ran', 'http://127.0.0.1:5678/workflow/1');
		expect(line.split('\n')).toHaveLength(2);
		for (const part of [name, 'It ran', look, waits ?? '', '/workflow/1'])
			expect(line).toContain(part);
	},
);

const item = (json: Item['json'], binary?: Item['binary']): Item => ({
	json,
	...(binary && { binary }),
});

it.each([
	['nothing', [], 'no items'],
	['an answer', [item({ output: 'Hello!\nHow are you.' })], '"Hello! How are you"'],
	['a long answer', [item({ output: 'word '.repeat(50) })], `"${'word '.repeat(21)}word …"`],
	['answers', [item({ output: 'One' }), item({ output: 'Two' })], '2 items, the first: "One"'],
	['fields', [item({ output: { urgent: true }, text: '…' })], '"{"urgent":true}"'],
	[
		'a verdict',
		[item({ better: 'first', answer: 'Do it.', reason: 'It is clear.' })],
		'"It is clear"',
	],
	['an email', [item({ accepted: ['you@example.com'] })], 'an email to you@example.com'],
	['a job', [item({ jobId: 'job-1', state: 'processing' })], 'one job is started'],
	['jobs', [item({ jobId: 'job-1' }), item({ jobId: 'job-2' })], '2 jobs are started'],
	[
		'a file',
		[item({ jobId: 'job-1' }, { data: { data: '', fileName: 'a.png', mimeType: 'image/png' } })],
		'a.png (image/png)',
	],
	[
		'the turns of a talk',
		[
			item({ conversationId: 'c', speaker: 'Ada', text: 'Tuesday?' }),
			item({ conversationId: 'c', speaker: 'Bob', text: 'Friday.' }),
		],
		'2 rows, of Ada, Bob: "Friday"',
	],
	[
		'a talk',
		[item({ transcript: [{}, {}], reason: 'Ada said "[AGREED]"', output: 'On Friday.' })],
		'2 answers, until Ada said "[AGREED]": "On Friday"',
	],
])('tells of %s', (_what, items, told) => {
	expect(demoResult(items)).toBe(told);
});

it('shows a talk line by line', () => {
	const transcript = [
		{ speaker: 'Planner', text: 'Tuesday?' },
		{ speaker: 'Tester', text: 'Friday.' },
	];
	expect(talkLines([item({ transcript })])).toEqual(['Planner: Tuesday?', 'Tester: Friday.']);
	expect(talkLines([item({ output: 'no talk' })])).toEqual([]);
});

it('shows the report of this week as its email does, row by row', () => {
	const report = readExample('spending-report-by-mail-every-monday.json');
	const [from, to] = [`$now.toUTC().startOf('week')`, `$now.toUTC().endOf('week')`];
	expect(JSON.stringify(report)).not.toContain(from);
	for (const day of [from, to]) expect(JSON.stringify(ofThisWeek(report))).toContain(day);
	const rows = '<tr><th>Workflow</th><th>Cost</th></tr>\n<tr style="x"><td>Ask</td><td>1</td></tr>';
	expect(reportLines(`<p>1 USD</p><table>${rows}</table>`)).toEqual(['Workflow | Cost', 'Ask | 1']);
});

describe('what went wrong', () => {
	const node = 'Ask';
	const waits = 'waits for you';
	const execution = (status: string, message?: string, items: Item[] = []): Execution => ({
		id: '1',
		status,
		mode: 'manual',
		finished: false,
		runData: {
			Ask: [
				{
					executionStatus: '',
					executionTime: 1,
					data: { main: [items] },
					...(message && { error: { message } }),
				},
			],
		},
	});

	it.each<[string, string | undefined, Execution, { waits?: string }]>([
		['nothing', undefined, execution('success', '', [item({})]), {}],
		['nothing, where it waits', undefined, execution('waiting'), { waits }],
		['a node', '"Ask" failed: No such model', execution('error', 'No such model'), {}],
		['somebody ended it', 'failed: canceled', execution('canceled'), {}],
		['it gave no items', '"Ask" gave no items', execution('success'), {}],
		['it waits', 'failed: waiting', execution('waiting'), {}],
		['it did not wait', 'ended without waiting', execution('success', '', [item({})]), { waits }],
	])('%s', (_what, told, ended, example) => {
		expect(demoError(ended, { node, ...example })).toBe(told);
	});
});
