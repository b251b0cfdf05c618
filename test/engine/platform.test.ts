import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { ExecuteContext, SupplyDataContext } from 'n8n-core';
import {
	createRunExecutionData,
	type IExecuteFunctions,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import {
	findNode,
	getNodeType,
	getRunData,
	getRunIndex,
	getTypesServedBy,
	learnReadable,
	readAsEntered,
	sendChunk,
	toReadable,
	wasRequestSent,
	withAbortSignal,
} from '../../src/n8n/platform';
import { listen } from '../service/listen';
import { contraryForTests } from './contrary';
import { additionalData, made, ours, ranWith, workflowOf, type Flow } from './rig/flow';

// Each test is named by the member outside of the types that src/n8n/platform.ts uses, and fails when that member is gone.
const service = contraryForTests();

const CREDENTIAL = 'workspaceAgentApi';

/** n8n-core's own context of a node that runs for the third time. */
function executeContext(onChunk?: Flow['onChunk']) {
	const node = ours('Node', 'workspaceAgent', { credential: CREDENTIAL });
	const settings = { onError: 'continueErrorOutput' } as const;
	const tool = { ...made('Tool', 'n8n-nodes-agent-bridge.modelRouterTool'), ...settings };
	const { workflow, credentials } = workflowOf({
		nodes: [node, tool],
		wires: [['Tool', 'Node', 'ai_tool']],
		secrets: service.secrets,
	});
	const data = createRunExecutionData({ resultData: { runData: { Start: [ranWith({ a: 1 })] } } });
	const input = { main: [[{ json: {} }]] };
	return new ExecuteContext(
		workflow,
		node,
		additionalData(workflow, credentials, 'manual', onChunk),
		'manual',
		data,
		2,
		[],
		input,
		{ node, data: input, source: null },
		[],
	) as unknown as IExecuteFunctions;
}

const streamed = (url = String(service.secrets[CREDENTIAL]?.['baseUrl'])): IHttpRequestOptions => ({
	method: 'GET',
	url,
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
});

/** Every link of a chain of causes. */
function linksOf(error: unknown): object[] {
	return error instanceof Object ? [error, ...linksOf((error as { cause?: unknown }).cause)] : [];
}

describe('n8n-core', () => {
	it('runExecutionData: the runs of all nodes', () => {
		expect(getRunData(executeContext())).toMatchObject({ Start: [{ executionStatus: 'success' }] });
	});

	it('runIndex: the number of the run', () => {
		expect(getRunIndex(executeContext())).toBe(2);
	});

	it('workflow.nodes, workflow.getChildNodes: who may use a tool, and what it does when it fails', () => {
		const n8n = executeContext();
		expect(getNodeType(n8n, 'Tool')).toBe('n8n-nodes-agent-bridge.modelRouterTool');
		expect(getNodeType(n8n, 'Gone')).toBeUndefined();
		expect(getTypesServedBy(n8n, 'Tool')).toEqual(['n8n-nodes-agent-bridge.workspaceAgent']);
		expect(findNode(n8n, 'Tool')).toMatchObject({ onError: 'continueErrorOutput' });
	});

	it.each(['getContext', 'getExecuteData', 'getChatTrigger', 'customData'])(
		'%s: also in the context of a node that others use',
		(member) => {
			expect(member in SupplyDataContext.prototype).toBe(true);
		},
	);

	it('additionalData.credentialsHelper: a credential with its expressions, or nothing', async () => {
		const n8n = executeContext();
		const { apiKey, baseUrl } = service.secrets[CREDENTIAL]!;
		expect(await readAsEntered(n8n, CREDENTIAL)).toMatchObject({ apiKey, baseUrl });
		expect(await readAsEntered(n8n, 'modelRouterApi')).toBeUndefined();
		const without = Object.create(n8n, { additionalData: { value: {} } }) as IExecuteFunctions;
		expect(await readAsEntered(without, CREDENTIAL)).toBeUndefined();
	});

	it('sendChunk: a promise that waits for whoever sends the piece', async () => {
		let isSent = false;
		const n8n = executeContext(async () => {
			await new Promise((resolve) => setTimeout(resolve, 20));
			isSent = true;
		});
		await sendChunk(n8n, 'item', 0, 'Hello');
		expect(isSent).toBe(true);
	});

	it('getExecutionCancelSignal: asked of the context on which a request is called', async () => {
		const n8n = executeContext();
		const { signal } = new AbortController();
		const abort = AbortSignal.abort(new Error('given up'));
		const send = async (context: IExecuteFunctions) =>
			await n8n.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, streamed(), {});
		service.answer(() => ({ body: 'Hello' }));
		expect(await send(withAbortSignal(n8n, signal))).toMatchObject({ statusCode: 200 });
		await expect(send(withAbortSignal(n8n, abort))).rejects.toThrow();
		expect(service.asked).toHaveLength(1);
		expect(withAbortSignal(n8n, abort).getExecutionCancelSignal()).toBe(abort);
	});
});

describe('axios', () => {
	it('AxiosError.request.writableFinished: the request was sent, and its connection broke', async () => {
		const server = createServer((socket) => socket.once('data', () => socket.destroy()));
		const url = `http://127.0.0.1:${await listen(server)}/`;
		const failure: unknown = await executeContext()
			.helpers.httpRequest(streamed(url))
			.catch((error: unknown) => error);
		server.close();
		expect(linksOf(failure).map(wasRequestSent)).toContain(true);
	});

	it('body: of a class that makes streams of bytes', async () => {
		service.answer(() => ({ body: 'Hello' }));
		const { body } = (await executeContext().helpers.httpRequest(streamed())) as { body: Readable };
		const bytes = async function* () {
			yield Buffer.from('Hello');
		};
		// without the member, a body changes nothing
		for (const other of [Object.create(null) as object, {}, body]) learnReadable(other);
		const made = toReadable(bytes()) as Readable;
		expect(made).toBeInstanceOf(Readable);
		expect(Buffer.concat(await made.toArray())).toEqual(Buffer.from('Hello'));
	});
});

describe('without these members nothing fails', () => {
	const n8n = { sendChunk: () => undefined } as unknown as IExecuteFunctions;

	it.each([
		['runExecutionData', getRunData(n8n), undefined],
		['runIndex', getRunIndex(n8n), 0],
		['workflow.nodes', findNode(n8n, 'Tool'), undefined],
		['workflow.getChildNodes', getTypesServedBy(n8n, 'Tool'), []],
		['request', wasRequestSent(new Error('x')), undefined],
		['writableFinished', wasRequestSent({ request: null }), undefined],
	])('%s', (_member, found, expected) => {
		expect(found).toEqual(expected);
	});

	it('the promise of sendChunk', async () => {
		await expect(sendChunk(n8n, 'end', 0)).resolves.toBeUndefined();
	});
});
