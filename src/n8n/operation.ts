import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Accounts } from '../core/accounts';
import type { Cost, Reserved, WaitForOthers } from '../core/reserve';
import type { Http, HttpResponse } from '../core/http';
import type { LookUp } from '../core/lookup';
import type { OwnPrices } from '../core/ownPrices';
import type { Clock } from '../core/retry';
import type { StartPaid } from '../core/startPaid';
import type { FileInfo, FileContent, StoreFileOptions, storeFile } from './binaryData';
import type { Connection } from './connection';
import type { HandedOver } from './caller';
import type { FlowState } from './memory/executionMemory';
import type { ParamValues } from './parameters';
import type { Redactor } from './redact';

/** What an operation returns for one input item. `runNode` adds `pairedItem`. */
export type ItemOutput = Pick<INodeExecutionData, 'json' | 'binary'>;

/** What `prepare` may use in addition to the parameters. */
export interface PrepareContext {
	/** The base URL of the service, from the credential. */
	baseUrl: string;
	/** What the IDs of named sessions are made for. */
	sessionSpace: string;
	handedOver: HandedOver;
	/** The model lists of the credential, or the one of this name. @throws ServiceError `invalid`. */
	readModelLists: Connection['readModelLists'];
	/** @see Connection */
	server: Connection['server'];
}

/** What the check of one item may use: nothing that costs money or takes long. */
export interface PreflightContext<Request> {
	/** What `prepare` made from the parameters. */
	request: Request;
	/** Whether an AI agent calls the node as its tool: it sees the JSON of an item, or the message of an error, and nothing else. */
	asTool: boolean;
	/** Whether the credential has a job ledger. */
	usesLedger: boolean;
	/** The base URL of the service, from the credential. */
	baseUrl: string;
	/** Whether base URL, key or additional headers come from the item. Nobody then finds the account again without it. */
	isAccountOfItem: boolean;
	lookUp: LookUp;
	/** Prices of models that the owner of the credential has entered. */
	ownPrices: OwnPrices;
	/** In a run, another item may use the slot while it sleeps. */
	clock: Clock;
	/** @see Connection */
	connectLedger: Connection['connectLedger'];
	/** IDs of the n8n execution, of the credential that `http` uses, and of whose work it is. */
	origin: { executionId: string; credentialId: string; scope: string };
	/** Shows the user a sentence next to the output. The same sentence of many items is shown once. */
	addHint(sentence: string): void;
	/** @param path The field's name in the editor. @throws ServiceError `invalid` if there is no such file. */
	findFile(property: string, path: string): FileInfo;
}

/** Everything one run of an operation may use. */
export interface OperationContext<Request, Checked = unknown> extends PreflightContext<Request> {
	/** What `check` returned. Undefined for an item that was paid for before: it is not checked again. */
	checked: Checked | undefined;
	http: Http;
	/** For requests to a model: its 429 delays no other one. */
	httpOf(model: string): Http;
	/** Milliseconds without a byte after which an attempt fails. */
	idleTimeout: number;
	/**
	 * Starts what may cost, at most once per item, whatever n8n repeats: what was paid for before is returned. Everything that starts work
	 * at the service goes through here. The operation says in `identify` what is remembered.
	 */
	payOnce<Result extends object>(
		pay: (startPaid: StartPaid) => Promise<Result>,
	): Promise<Result & { isRemembered?: true }>;
	/** For a paid request: once others of the node have ended, it may no longer be wanted. */
	waitForOthers: WaitForOthers;
	/** For what reports no cost: the budget counts what it is said to count for that. */
	reserveUnknown(): Promise<Reserved>;
	/**
	 * Runs an action after those of all items that asked before, in the whole execution.
	 *
	 * @throws ServiceError `cancelled` when the run has failed meanwhile.
	 */
	runSerially<Result>(action: () => Promise<Result>): Promise<Result>;
	/**
	 * Runs an action after those of the same session of the account, in all executions of this process.
	 *
	 * @throws ServiceError `cancelled` when the execution is stopped before, or the run has failed meanwhile.
	 */
	inSession<Result>(session: string, action: () => Promise<Result>): Promise<Result>;
	/**
	 * Plain data that the node keeps for the whole execution: all its runs, Retry On Fail and "Retry execution".
	 *
	 * @param preset Makes the initial data.
	 */
	getState<Data extends object>(name: string, preset: () => Data): Data;
	/** Writes an ID from the service to the log and to the execution's custom data, which survives Stop. */
	recordId(name: 'mediaJob' | 'chat' | 'session', id: string): void;
	/** How the execution was started, and what else tells its requests from those of others: place, and account as a hash. */
	building: { mode: string; place: unknown[]; resendIfUnknown: boolean };
	/** What the credential may spend, and has spent. */
	accounts: Accounts;
	/** Lasts through the execution, for all nodes with the same account. */
	flowState: FlowState;
	/** As the output will have it. */
	redact: Redactor['data'];
	/** Paid requests that this process has in flight for the same account, in all executions. */
	countInFlight(): number;
	/** Sends a part of the answer to the reader in a chat or at a streaming webhook. @returns what has to be waited for, if anything. */
	stream(text: string): void | Promise<void>;
	/** Writes a line into the chat that has started the execution, if it streams. It is not a part of the output. */
	showProgress(line: string): Promise<void>;
	/** Counts a job that has ended in the one hint on what the jobs of this run have cost. */
	addJobCost(cost: Cost): void;
	/**
	 * Does something as the last thing that the node does: when it hands its items over or is stopped. Not after a failure: n8n may run it again.
	 *
	 * @param action It must not throw.
	 */
	atEnd(action: (isHandedOver: boolean) => Promise<void>): void;
	/** Adds to n8n's token counters. */
	countTokens(input: number, output: number): void;
	readFile(property: string, path: string): Promise<FileContent>;
	/** Streams the body of a response into n8n's binary store. */
	storeFile(response: HttpResponse, wanted: StoreFileOptions): ReturnType<typeof storeFile>;
}

/** Some of what a run may use, whatever its operation asks for. */
export type Uses<Name extends keyof OperationContext<unknown>> = Pick<
	OperationContext<unknown>,
	Name
>;

/** One operation of a node: what the editor shows and what it does, side by side. */
export interface Operation<Request = never, Checked = never> {
	/** Title in the operation list, e.g. `Complete`. */
	name: string;
	/** Stored in workflows. Never change it. */
	value: string;
	/** Sentence in the node picker, e.g. `Complete a chat`. */
	action: string;
	description: string;
	params: readonly INodeProperties[];
	/** Whether it needs no request settings, because all that it sends is a request for the catalog, if anything. */
	readsAtMostCatalog?: boolean;
	/** Whether an answer or a file may take long, so that its timeouts can be set. */
	mayTakeLong?: boolean;
	/**
	 * Makes a request from one item's parameters, or rejects them. Runs for all items before the first is sent, so a mistake in item 7
	 * costs nothing.
	 *
	 * @throws ServiceError `invalid`.
	 */
	prepare(params: never, surroundings: PrepareContext): unknown;
	/**
	 * What an item pays for. It is found again by this when n8n runs the node again: so it has no random parts, such as a new session ID,
	 * and nothing that somebody may change meanwhile without asking for something else: no model, list, limit or price.
	 *
	 * @returns undefined where a key in the ledger decides, which covers all executions.
	 */
	identify?(request: Request): unknown;
	/**
	 * Checks the request against the input's files and the service's catalog. Runs for all items before the first is sent, too, but for
	 * those that were paid for before n8n ran the node again: nothing is sent for them.
	 *
	 * @returns what `run` gets as `checked`.
	 * @throws ServiceError `invalid`.
	 */
	check?(check: PreflightContext<Request>): Promise<unknown>;
	/** Items with the same key run one after another: those of one conversation. */
	sequenceKey?(request: Request): string | undefined;
	run(call: OperationContext<Request, Checked>): Promise<ItemOutput | ItemOutput[]>;
}

/**
 * Declares an operation.
 *
 * Returns its argument. It adds only types: `prepare` gets the parameters with the types of their literals, and `run` gets what
 * `prepare` and `check` return.
 */
export function operation<const P extends readonly INodeProperties[], Request, Checked>(
	definition: Omit<
		Operation<NoInfer<Request>, NoInfer<Checked>>,
		'params' | 'prepare' | 'check'
	> & {
		params: P;
		prepare(params: ParamValues<P>, surroundings: PrepareContext): Request;
		check?(check: PreflightContext<NoInfer<Request>>): Promise<Checked>;
	},
): Operation {
	return definition;
}

/** A group of operations on one kind of thing. */
export interface Resource {
	name: string;
	/** Stored in workflows. Never change it. */
	value: string;
	operations: readonly Operation[];
	/** Value of the operation that is selected at first. n8n does not store defaults, so saved workflows rely on it: never change it. */
	defaultOperation: string;
	/** Whether only people may use it: an AI agent's tool does not offer it, and refuses to run it. */
	notInTools?: boolean;
}

/** An expression for the line under a node's name on the canvas: the operation by its label. */
export function operationSubtitle(resources: readonly Resource[]): string {
	const labels = resources.flatMap((resource) =>
		resource.operations.map((operation) =>
			resources.length > 1
				? [`${resource.value} ${operation.value}`, `${resource.name}: ${operation.name}`]
				: [operation.value, operation.name],
		),
	);
	const resourceValue = resources.length > 1 ? '$parameter["resource"] + " " + ' : '';
	return labelSubtitle(Object.fromEntries(labels), `${resourceValue}$parameter["operation"]`);
}

/**
 * An expression for the line under a node's name on the canvas: what was chosen, by its label.
 *
 * @param labels By stored value.
 * @param value The code of the stored value.
 */
export const labelSubtitle = (labels: Readonly<Record<string, string>>, value: string): string =>
	`={{ (${JSON.stringify(labels)})[${value}] }}`;
