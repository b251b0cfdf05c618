import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';

import type { RegexEngine } from '../../../src/core/regex';
import {
	checkAllowedDomains,
	countTokens,
	getPollBudget,
	mayStream,
	regexEngine,
	requireN8n,
} from '../../../src/n8n/n8nVersions';
import { abortableSleep, withDeadline } from '../../../src/n8n/deadline';

/** n8n-workflow as it is, or, once `older` is set, as an older version has it. */
jest.mock('n8n-workflow', () => {
	const n8nWorkflow = jest.requireActual<object>('n8n-workflow');
	const later = ['assertUrlAllowed', 'safeRegex'];
	let older = false;
	return new Proxy(n8nWorkflow, {
		get(target, name): unknown {
			if (older && later.includes(String(name))) return undefined;
			// before 2.34 it takes no signal
			if (older && name === 'sleep')
				return async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
			return Reflect.get(target, name);
		},
		set(_target, _name, value) {
			older = value === true;
			return true;
		},
	});
});
const n8nWorkflow = jest.requireMock<{ older: boolean }>('n8n-workflow');
afterEach(() => {
	n8nWorkflow.older = false;
	jest.useRealTimers();
});

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.modelRouter',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const of = (context: object) =>
	({ getNode: () => node, ...context }) as unknown as IExecuteFunctions & IPollFunctions;

it('an n8n that is too old is refused in one sentence that names the version it takes', () => {
	expect(() => requireN8n(of({}))).not.toThrow();
	n8nWorkflow.older = true;
	expect(() => requireN8n(of({}))).toThrow(
		expect.objectContaining({
			message: 'This node needs n8n 2.22.6 or newer',
			description: undefined,
		}),
	);
});

it.each([
	['somebody reads', { isStreaming: () => true }, true],
	['nobody reads', { isStreaming: () => false }, false],
	['n8n 2.34 does not tell a chat model', {}, true],
])('who may read along, where %s', (_who, context, may) => {
	expect(mayStream(of(context))).toBe(may);
});

describe.each([
	['today', false],
	['before n8n 2.34', true],
])('a wait %s', (_when, older) => {
	beforeEach(() => {
		jest.useFakeTimers();
		n8nWorkflow.older = older;
	});
	const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);
	/** What came of it by now. */
	const watched = (promise: Promise<unknown>) => {
		const state: { came?: unknown } = {};
		promise.then(
			(value) => (state.came = [value]),
			() => (state.came = 'failed'),
		);
		return state;
	};
	const stoppable = () => {
		const stop = new AbortController();
		return { stop, remove: jest.spyOn(stop.signal, 'removeEventListener') };
	};
	const never = async () => await new Promise<string>(() => {});

	it('ends with its time, and needs no signal', async () => {
		const waits = [new AbortController().signal, undefined].map((signal) =>
			watched(abortableSleep(1000, signal)),
		);
		await pass(999);
		expect(waits).toEqual([{}, {}]);
		await pass(1);
		expect(waits).toEqual([{ came: [undefined] }, { came: [undefined] }]);
	});

	it('ends when it is aborted, leaves no listener, and does not begin after it', async () => {
		const { stop, remove } = stoppable();
		const wait = watched(abortableSleep(60_000, stop.signal));
		await pass(10);
		stop.abort();
		await pass(0);
		expect(wait.came).toBe('failed');
		expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
		await expect(abortableSleep(60_000, stop.signal)).rejects.toThrow();
	});

	it('with a deadline gives what comes in time, or fails as it does', async () => {
		const { stop, remove } = stoppable();
		expect(await withDeadline(Promise.resolve('a'), 1000, stop.signal)).toBe('a');
		expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
		if (!older) expect(jest.getTimerCount()).toBe(0);
		const failing = withDeadline(Promise.reject(new Error('x')), 1000, undefined);
		await expect(failing).rejects.toThrow('x');
	});

	it('with a deadline gives nothing after its time, or once it is stopped', async () => {
		const wait = watched(withDeadline(never(), 1000, undefined));
		await pass(999);
		expect(wait).toEqual({});
		await pass(1);
		expect(wait).toEqual({ came: [undefined] });
		const { stop } = stoppable();
		const stopped = watched(withDeadline(never(), 1000, stop.signal));
		stop.abort();
		await pass(0);
		expect(stopped).toEqual({ came: [undefined] });
		// it has its time after an earlier stop
		expect(await withDeadline(Promise.resolve('a'), 1000, stop.signal)).toBe('a');
	});
});

describe('regular expressions', () => {
	it('give up what would take hours', () => {
		expect(() => regexEngine.test('^(a+)+$', `${'a'.repeat(100)}!`)).toThrow(/timed out/);
	});

	it.each([
		['today', false],
		['before n8n 2.35', true],
	])('are those of JavaScript %s', (_when, older) => {
		n8nWorkflow.older = older;
		jest.isolateModules(() => {
			const { regexEngine: engine } = jest.requireActual<{ regexEngine: RegexEngine }>(
				'../../../src/n8n/n8nVersions',
			);
			expect(engine === regexEngine).toBe(!older);
			expect(engine.test('^(.)(?=b)b\\1$', 'ABA', 'i')).toBe(true);
			expect(engine.test('b', 'B')).toBe(false);
			expect(engine.replace('b', 'aBbc', 'gi', '')).toBe('ac');
		});
	});
});

describe('allowed domains of a credential', () => {
	const url = 'https://router.example.com/v1';
	const only = (allowedDomains: string): ICredentialDataDecryptedObject => ({
		allowedHttpRequestDomains: 'domains',
		allowedDomains,
	});

	it.each(['example.org', '', '   '])('do not include others: "%s"', (domains) => {
		expect(() => checkAllowedDomains(only(domains), url, node)).toThrow(/Domain not allowed/);
	});

	it.each([only('router.example.com'), { allowedHttpRequestDomains: 'all' }, {}])(
		'include %j',
		(data) => {
			expect(() => checkAllowedDomains(data, url, node)).not.toThrow();
		},
	);
});

it('a poll without a budget has none', () => {
	expect(getPollBudget(of({}))).toBeUndefined();
	expect(getPollBudget(of({ getPollBudgetMs: () => 5 }))).toBe(5);
});

it('an answer that is paid for is not lost because its tokens cannot be counted', () => {
	const debug = jest.fn();
	expect(() => countTokens(of({ logger: { debug } }), 1, 2)).not.toThrow();
	expect(debug).toHaveBeenCalledTimes(1);
});
