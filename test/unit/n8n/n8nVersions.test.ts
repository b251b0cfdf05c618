import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	INode,
	IPollFunctions,
} from 'n8n-workflow';

import {
	abortableSleep,
	addHint,
	checkAllowedDomains,
	countTokens,
	getPollBudget,
	requireN8n,
	requireResponse,
	withDeadline,
} from '../../../src/n8n/n8nVersions';

/** n8n-workflow as it is, or, once `older` is set, as an older version has it. */
jest.mock('n8n-workflow', () => {
	const n8nWorkflow = jest.requireActual<object>('n8n-workflow');
	const later = ['assertUrlAllowed', 'accumulateTokenUsage', 'isHitlToolType'];
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

describe('an n8n that is too old', () => {
	it('is refused in one sentence that names the version it takes', () => {
		n8nWorkflow.older = true;
		expect(() => requireN8n(of({}))).toThrow(
			expect.objectContaining({
				message: 'This node needs n8n 2.7 or newer',
				description: undefined,
			}),
		);
	});

	it('is not one that has what the nodes need', () => {
		expect(() => requireN8n(of({}))).not.toThrow();
	});
});

it('a call without the response of the engine is refused, an empty response is not', () => {
	expect(() => requireResponse(of({}), { actionResponses: [], metadata: {} })).not.toThrow();
	expect(() => requireResponse(of({}), undefined)).toThrow(
		'n8n called this node without the answers of its speakers',
	);
});

describe.each([
	['today', false],
	['before n8n 2.34', true],
])('a wait %s', (_when, older) => {
	beforeEach(() => {
		jest.useFakeTimers();
		n8nWorkflow.older = older;
	});

	it('ends with its time', async () => {
		const wait = abortableSleep(1000, new AbortController().signal).then(() => 'over');
		await jest.advanceTimersByTimeAsync(1000);
		expect(await wait).toBe('over');
	});

	it('ends when it is aborted, and leaves no listener', async () => {
		const stop = new AbortController();
		const remove = jest.spyOn(stop.signal, 'removeEventListener');
		const wait = abortableSleep(60_000, stop.signal).catch(() => 'aborted');
		await jest.advanceTimersByTimeAsync(10);
		stop.abort();
		expect(await wait).toBe('aborted');
		expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
	});

	it('does not begin after an abort', async () => {
		await expect(abortableSleep(60_000, AbortSignal.abort())).rejects.toThrow();
	});

	it('needs no signal', async () => {
		const wait = abortableSleep(5, undefined).then(() => 'over');
		await jest.advanceTimersByTimeAsync(5);
		expect(await wait).toBe('over');
	});
});

describe.each([
	['today', false],
	['before n8n 2.34', true],
])('a wait with a deadline %s', (_when, older) => {
	beforeEach(() => {
		jest.useFakeTimers();
		n8nWorkflow.older = older;
	});

	const never = async () => await new Promise<string>(() => {});

	it('gives what comes in time', async () => {
		const stop = new AbortController();
		const remove = jest.spyOn(stop.signal, 'removeEventListener');
		expect(await withDeadline(Promise.resolve('a'), 1000, stop.signal)).toBe('a');
		expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
		if (!older) expect(jest.getTimerCount()).toBe(0);
	});

	it('fails as what it waits for', async () => {
		await expect(withDeadline(Promise.reject(new Error('x')), 1000, undefined)).rejects.toThrow(
			'x',
		);
	});

	it('gives nothing after its time', async () => {
		const wait = withDeadline(never(), 1000, undefined).then((given) => [given]);
		await jest.advanceTimersByTimeAsync(999);
		expect(await Promise.race([wait, Promise.resolve('waits')])).toBe('waits');
		await jest.advanceTimersByTimeAsync(1);
		expect(await wait).toEqual([undefined]);
	});

	it('gives nothing once it is stopped, and has its time after an earlier stop', async () => {
		const stop = new AbortController();
		const wait = withDeadline(never(), 1000, stop.signal).then((given) => [given]);
		stop.abort();
		expect(await wait).toEqual([undefined]);
		expect(await withDeadline(Promise.resolve('a'), 1000, stop.signal)).toBe('a');
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

	it('are refused by a sentence before n8n 2.22, even those that fit', () => {
		n8nWorkflow.older = true;
		expect(() => checkAllowedDomains(only('router.example.com'), url, node)).toThrow(
			expect.objectContaining({
				message: '"Allowed HTTP Request Domains" of the credential needs n8n 2.22 or newer',
				description: 'Nothing was sent. Choose "All" in the credential, or update n8n.',
			}),
		);
		expect(() => checkAllowedDomains({}, url, node)).not.toThrow();
	});
});

it('what an older n8n does not have is not used', () => {
	n8nWorkflow.older = true;
	expect(getPollBudget(of({}))).toBeUndefined();
	expect(getPollBudget(of({ getPollBudgetMs: () => 5 }))).toBe(5);
	expect(() => countTokens(of({}), 1, 2)).not.toThrow();
});

it('a hint is beside the output', () => {
	const addExecutionHints = jest.fn();
	addHint(of({ addExecutionHints }), 'A sentence');
	expect(addExecutionHints).toHaveBeenCalledWith({
		message: 'A sentence',
		type: 'warning',
		location: 'outputPane',
	});
});
