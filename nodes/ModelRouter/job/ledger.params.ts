import type { INodeProperties } from 'n8n-workflow';

import { invalid } from '../../../src/service/errors';

export const useLedgerParam = {
	displayName: 'Use Job Ledger',
	name: 'useLedger',
	type: 'boolean',
	default: false,
	description:
		'Whether to enter the job in the job ledger, a Data Table of this n8n, before it is started. The Model Router Trigger then brings its file whatever happens to this execution, and Start Once Per Key can be used.',
} as const satisfies INodeProperties;

/** What makes an operation ask for the ledger's credential where it cannot do without. */
export const ledgerNeededParam = {
	displayName: 'Use Job Ledger',
	name: 'useLedger',
	type: 'hidden',
	default: true,
} as const satisfies INodeProperties;

export const startKeyOption = {
	displayName: 'Start Once Per Key',
	name: 'startKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'One job per key, whatever happens: over executions, workers, Stop and crashes. A later start with the same key sends nothing and gives back the job that the first one started, whatever else was asked for. Needs the job ledger.',
} as const satisfies INodeProperties;

export const labelOption = {
	displayName: 'Ledger Label',
	name: 'label',
	type: 'string',
	default: '',
	placeholder: 'e.g. product videos',
	description:
		'Tells the jobs of one workflow from those of others: a Model Router Trigger with a label brings only jobs with the same one',
} as const satisfies INodeProperties;

export interface LedgerOptions {
	startKey?: string;
	label?: string;
}

/** What is to be done with the ledger at a start. */
export interface LedgerWanted {
	/** Empty for a start that is only entered. */
	startKey: string;
	label: string;
	/** Milliseconds that the node itself waits for the job; before, no trigger need ask for it. */
	waits: number;
}

const LONGEST_KEY = 500;

/** @throws ServiceError `invalid`. @returns undefined when the ledger is not used. */
export function toLedgerWanted(
	useLedger: boolean,
	{ startKey, label = '' }: LedgerOptions,
	waits: number,
): LedgerWanted | undefined {
	const key = startKey?.trim();
	if (key === '') {
		throw invalid(
			'Start Once Per Key is empty',
			'Nothing was sent. Give it a key, or remove the option.',
		);
	}
	if (key !== undefined && key.length > LONGEST_KEY)
		throw invalid(`Start Once Per Key is longer than ${LONGEST_KEY} characters`);
	if (useLedger) return { startKey: key ?? '', label: label.trim(), waits };
	if (key === undefined) return undefined;
	throw invalid(
		'Start Once Per Key needs the job ledger',
		'Nothing was sent. Turn on "Use Job Ledger", which keeps the keys.',
	);
}
