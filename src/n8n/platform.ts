import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteData,
	IExecuteFunctions,
	INode,
	IRunData,
	ISupplyDataFunctions,
} from 'n8n-workflow';

/*
 * Everything that relies on members of n8n, axios or Node that their types leave out. Each function says where the member was seen
 * and what happens without it; none of them fails then. test/engine/platform.test.ts fails by name when a member is gone.
 */

/** Members of n8n's execution contexts that `IExecuteFunctions` leaves out. */
interface ContextInternals {
	runExecutionData?: { resultData?: { runData?: IRunData } } | null;
	runIndex?: number;
	connectionInputData?: unknown[] | null;
	additionalData?: {
		streamingEnabled?: boolean;
		credentialsHelper?: {
			getDecrypted?(
				additionalData: object,
				credential: object,
				type: string,
				mode: string,
				executeData: IExecuteData,
				raw: true,
			): Promise<ICredentialDataDecryptedObject>;
		};
	};
	workflow?: {
		nodes?: { [name: string]: INode };
		getChildNodes?(name: string, connectionType: 'ai_tool', depth: number): string[];
	};
}

/**
 * The runs of all nodes in this execution so far.
 *
 * Seen: `runExecutionData`, n8n-core 2.41.1, node-execution-context.js:36.
 * Without it: undefined.
 */
export function getRunData(n8n: IExecuteFunctions): IRunData | undefined {
	const { runExecutionData } = n8n as ContextInternals;
	return runExecutionData?.resultData?.runData;
}

/**
 * What the nodes of some types have given out in this execution so far, on their first output.
 *
 * Seen: as `getRunData` and `getNodeType`.
 * Without it: none; what a visitor of a chat wrote then counts like any other item.
 */
export function listOutputs(n8n: IExecuteFunctions, types: RegExp): IDataObject[] {
	return Object.entries(getRunData(n8n) ?? {})
		.filter(([name]) => types.test(getNodeType(n8n, name) ?? ''))
		.flatMap(([, runs]) => runs.flatMap(({ data }) => data?.['main']?.[0] ?? []))
		.map(({ json }) => json);
}

/**
 * The number of this run of the node, from 0. Retry On Fail keeps it.
 *
 * Seen: `runIndex`, n8n-core 2.41.1, node-execution-context.js:37.
 * Without it: 0, so all runs of a node count as its first one.
 */
export function getRunIndex(n8n: IExecuteFunctions): number {
	return (n8n as ContextInternals).runIndex ?? 0;
}

/**
 * Notes that the node has begun, before it asks n8n to run other nodes.
 *
 * When n8n starts, it takes a node that has begun and has no runs for crashed, and ends an execution that waits for a person
 * (n8n 2.41.1, executions/execution-recovery.service.js:127).
 *
 * Seen: `runExecutionData`, n8n-core 2.41.1, node-execution-context.js:36.
 * Without it: a conversation that waits for a person cannot be continued after a restart of n8n.
 */
export function markAsBegun(n8n: IExecuteFunctions): void {
	const runs = getRunData(n8n);
	if (runs) runs[n8n.getNode().name] ??= [];
}

/**
 * A node of the workflow, with the defaults of its parameters.
 *
 * Seen: `workflow.nodes`, n8n-core 2.41.1, node-execution-context.js:30 and :81; n8n-workflow 2.41.0, workflow.js:87.
 * Without it: undefined. The caller of a tool then counts as an AI agent, and a speaker as none that waits or shares a credential.
 */
export function findNode(n8n: IExecuteFunctions, name: string): INode | undefined {
	return (n8n as ContextInternals).workflow?.nodes?.[name];
}

export const getNodeType = (n8n: IExecuteFunctions, name: string) => findNode(n8n, name)?.type;

/**
 * The types of the nodes that may use a tool.
 *
 * Seen: `workflow.getChildNodes`, n8n-core 2.41.1, node-execution-context.js:78. The public method knows main connections only.
 * Without it: none.
 */
export function getTypesServedBy(n8n: IExecuteFunctions, tool: string): string[] {
	const { workflow } = n8n as ContextInternals;
	const names = workflow?.getChildNodes?.(tool, 'ai_tool', 1) ?? [];
	return names.map((name) => getNodeType(n8n, name) ?? '');
}

/**
 * The context of a node that others use, such as a model, as that of a node that runs: both are of one class, which has the node's memory
 * and the custom data of the execution.
 *
 * Seen: `SupplyDataContext` and `ExecuteContext` extend `BaseExecuteContext`, n8n-core 2.41.1, node-execution-context/supply-data-context.js:25.
 * Without it: what is missing fails by its name when it is used.
 */
export const toExecuteContext = (n8n: ISupplyDataFunctions): IExecuteFunctions =>
	n8n as unknown as IExecuteFunctions;

/**
 * Sends a piece of live output, and waits until n8n has passed it on.
 *
 * n8n's types say that `sendChunk` returns nothing. It returns a promise, which rejects when the reader cannot be reached.
 *
 * Seen: `sendChunk`, n8n-core 2.41.1, base-execute-context.js:167.
 * Without the promise: does not wait.
 */
export async function sendChunk(
	n8n: IExecuteFunctions,
	...chunk: Parameters<IExecuteFunctions['sendChunk']>
): Promise<void> {
	await n8n.sendChunk(...chunk);
}

/**
 * Whether the execution streams, or the one that has called it as its sub-workflow.
 *
 * Seen: `additionalData.streamingEnabled`, n8n 2.41.1, workflow-execute-additional-data.js:345.
 * Without it: false; a visitor then reads of a sub-workflow why it failed.
 */
export const isStreamEnabled = (n8n: object): boolean =>
	(n8n as ContextInternals).additionalData?.streamingEnabled === true;

/**
 * The same context with another signal that aborts its requests.
 *
 * n8n overwrites a signal in the request options with the execution's, which it asks the context for. So the context's method is
 * replaced, in an object that inherits everything else.
 *
 * Seen: n8n-core 2.41.1, request-helpers/authentication.js:13.
 * Without it: the execution's signal aborts the request; a limit of time ends the wait for the response head through n8n's own
 * `timeout`.
 */
export function withAbortSignal<Context extends object>(
	n8n: Context,
	signal: AbortSignal,
): Context {
	return Object.create(n8n, { getExecutionCancelSignal: { value: () => signal } });
}

/**
 * The same context without its items. A credential then reads as for the trigger, which has none.
 *
 * Seen: `connectionInputData`, n8n-core 2.41.1, node-execution-context.js, _getCredentials.
 * Without it: the credential reads as for the first item, whose account then counts as that of the credential.
 */
export const withoutItems = <Context extends object>(n8n: Context): Context =>
	Object.create(n8n, { connectionInputData: { value: undefined } });

/**
 * The same context with items that have no fields. A credential then reads without what the model of an AI agent has written.
 *
 * Seen and without it: as `withoutItems`.
 */
export function withEmptyItems<Context extends object>(n8n: Context): Context {
	const items = ((n8n as ContextInternals).connectionInputData ?? []) as object[];
	const value = items.map((item) => ({ ...item, json: {} }));
	return Object.create(n8n, { connectionInputData: { value } });
}

/**
 * How many items the expressions of a credential find: for a node below an AI agent, all items of the agent.
 *
 * Seen: `connectionInputData`, n8n-core 2.41.1, base-execute-context.js:66 and get-input-connection-data.js, contextFactory.
 * Without it: 0, so a node below an agent reads the credential for the first item alone.
 */
export const countVisibleItems = (n8n: object): number =>
	(n8n as ContextInternals).connectionInputData?.length ?? 0;

/**
 * A credential as it was entered: an expression is a text that begins with `=`.
 *
 * Seen: `additionalData.credentialsHelper`, n8n-core 2.41.1, node-execution-context.js, _getCredentials; `raw`, n8n 2.41.1,
 * credentials-helper.js, getDecrypted.
 * Without it: undefined. The credential is then read for every item.
 */
export async function readAsEntered(
	n8n: Pick<IExecuteFunctions, 'getNode'> & Partial<Pick<IExecuteFunctions, 'getMode'>>,
	type: string,
): Promise<ICredentialDataDecryptedObject | undefined> {
	const { additionalData } = n8n as ContextInternals;
	const node = n8n.getNode();
	const credential = node.credentials?.[type];
	if (!additionalData || !credential) return undefined;
	const asked: IExecuteData = { data: {}, node, source: null };
	const mode = n8n.getMode?.() ?? 'internal';
	try {
		const { credentialsHelper: helper } = additionalData;
		return await helper?.getDecrypted?.(additionalData, credential, type, mode, asked, true);
	} catch {
		return undefined;
	}
}

/**
 * Whether the whole request was handed to the network.
 *
 * axios' error, which n8n keeps as the `cause` of its own, has Node's request.
 *
 * Seen: `request`, axios 1.18.0 of @n8n/backend-network 2.41, lib/core/AxiosError.js:121; `writableFinished`, Node 24, stream.
 * Without it: undefined; the error's code decides.
 *
 * @param error One link of the chain of causes.
 */
export function wasRequestSent(error: object): boolean | undefined {
	const { request } = error as { request?: { writableFinished?: unknown } | null };
	const finished = request?.writableFinished;
	return typeof finished === 'boolean' ? finished : undefined;
}

/** One of Node's byte streams. */
type ByteStream = Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0];

interface ReadableClass {
	from(bytes: AsyncIterable<Uint8Array>, options: object): ByteStream;
}

/** Node's `Readable`, or a class made from it. */
let Readable: ReadableClass | undefined;

/**
 * Keeps the class of a response body, for `toReadable`: a community node cannot import it.
 *
 * Seen: n8n 2.41.1, `encoding: 'stream'`; Node 24, static `from` of every readable stream.
 * Without it: no file can be stored.
 */
export function learnReadable(body: object): void {
	const { constructor } = body as { constructor?: Partial<ReadableClass> };
	if (typeof constructor?.from === 'function') Readable ??= constructor as ReadableClass;
}

/** Makes one of Node's byte streams, once a response has come. */
export function toReadable(bytes: AsyncIterable<Uint8Array>): ByteStream {
	if (!Readable) throw new Error('A file is stored only after a response has come');
	return Readable.from(bytes, { objectMode: false });
}
