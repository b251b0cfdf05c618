import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { Http, HttpResponse } from '../service/http';
import type { Connection, ServiceAccess } from './connection';
import type { Clock } from '../service/retry';
import type { FlowMemory } from './flowMemory';
import type { Known } from './known';
import type { ParamValues } from './params';
import type { FileFound, FileRead } from './readFile';
import type { FileWanted, StoredFile } from './storeFile';

/** What an operation hands back for one input item: no `pairedItem`, the loop adds it. */
export type Output = Pick<INodeExecutionData, 'json' | 'binary'>;

/** What `prepare` may know beside the parameters. */
export interface Surroundings {
	/** The address of the service, from the credential. */
	baseUrl: string;
	/** The id of the chat session that the item belongs to, where there is one. */
	chatSession(): string | undefined;
}

/** A further service. */
export type Opened = Pick<Connection, 'http' | 'clock' | 'field'>;

/** What a check of one item may use: nothing that costs, nothing that takes long. */
export interface Check<Request> {
	/** What `prepare` made of the parameters. */
	request: Request;
	/** Whether an AI agent calls the node as its tool: it sees the JSON of an item, or the message of an error, and nothing else. */
	asTool: boolean;
	/**
	 * Reads something that changes rarely, once for all executions with this credential.
	 *
	 * @param name What it is, e.g. `catalog`.
	 */
	known<Value>(name: string, read: (http: Http) => Promise<Value>): Promise<Known<Value>>;
	/** @param path What the field is called in the editor. @throws ServiceError `invalid` when there is no such file. */
	findFile(property: string, path: string): FileFound;
}

/** Everything one run of an operation may use. */
export interface Call<Request> extends Check<Request> {
	http: Http;
	/** While it sleeps, another item may take its place among those that are worked on at once. */
	clock: Clock;
	/**
	 * Sends what may cost, at most once per item, whatever n8n repeats. Everything that starts work at the service goes
	 * through here, or through `decided`.
	 *
	 * @param what What is sent, without random parts; it tells a changed item from a repeated one.
	 * @param send Its result must be plain data.
	 */
	once<Result>(what: unknown, send: () => Promise<Result>): Promise<Result>;
	/** Sends what may cost where something that lasts longer than the execution has decided that it may be sent. */
	decided<Result>(send: () => Promise<Result>): Promise<Result>;
	/** Opens a further service that the node has a credential for. What is sent there goes on after Stop. */
	open(access: ServiceAccess): Promise<Opened>;
	/** The n8n execution, and the credential that `http` uses, by their ids. */
	origin: { execution: string; credential: string };
	/**
	 * Waits until the items before it that asked for a turn have had theirs, in the whole execution.
	 *
	 * @throws ServiceError `stopped` when the run has failed meanwhile.
	 */
	inTurn<Result>(action: () => Promise<Result>): Promise<Result>;
	/**
	 * Plain data that the node keeps for the whole execution, through all its runs, Retry On Fail and "Retry execution".
	 *
	 * @param preset Makes it at first.
	 */
	kept<Data extends object>(name: string, preset: () => Data): Data;
	/** Writes an id that the service gave to the log and into the execution's custom data, where it survives Stop. */
	note(name: 'mediaJob' | 'chat' | 'session', id: string): void;
	/** Lasts through the execution, for all nodes with the same credential. */
	memory: FlowMemory;
	/** Requests that may cost which this process has under way with the same credential, in all executions. */
	underWay(): number;
	/** Reads a field of the credential that is no secret. */
	field(name: string): string;
	/** Passes a piece of the answer to whoever reads along in a chat or at a streaming webhook. */
	live(text: string): Promise<void>;
	/** Shows the user a sentence beside the output. The same sentence of many items is shown once. */
	hint(sentence: string): void;
	/** Adds to n8n's own counters of tokens. */
	countTokens(input: number, output: number): void;
	readFile(property: string, path: string): Promise<FileRead>;
	/** Streams the body of a response into n8n's binary store. */
	storeFile(response: HttpResponse, wanted: FileWanted): Promise<StoredFile>;
}

/** One operation of a node: what the editor shows and what it does, side by side. */
export interface Operation {
	/** Title in the operation list, e.g. `Complete`. */
	name: string;
	/** Stored in workflows. Never change it. */
	value: string;
	/** Sentence in the node picker, e.g. `Complete a chat`. */
	action: string;
	description: string;
	params: readonly INodeProperties[];
	/**
	 * Makes a request of one item's parameters, or refuses them. Runs for all items before the first is sent, so that a
	 * mistake in item 7 costs nothing.
	 *
	 * @throws ServiceError `invalid`.
	 */
	prepare(params: never, surroundings: Surroundings): unknown;
	/**
	 * Refuses what only the input's files or the service's catalog can tell. Runs for all items before the first is sent, too.
	 *
	 * @throws ServiceError `invalid`.
	 */
	check?(check: Check<never>): Promise<void>;
	/** Items with the same lane run one after another: those of one conversation. */
	lane?(request: never): string | undefined;
	run(call: Call<never>): Promise<Output | Output[]>;
}

/**
 * Declares an operation.
 *
 * Returns its argument; all it adds is that `prepare` sees the parameters with the types of the literals above it, and `run`
 * what `prepare` gives.
 */
export function operation<const P extends readonly INodeProperties[], Request>(
	definition: Omit<Operation, 'params' | 'prepare' | 'check' | 'lane' | 'run'> & {
		params: P;
		prepare(params: ParamValues<P>, surroundings: Surroundings): Request;
		check?(check: Check<NoInfer<Request>>): Promise<void>;
		lane?(request: NoInfer<Request>): string | undefined;
		run(call: Call<NoInfer<Request>>): Promise<Output | Output[]>;
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
	/** Value of the operation that is chosen at first. n8n does not store a default, so a saved workflow relies on it: never change it. */
	defaultOperation: string;
}
