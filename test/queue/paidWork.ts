import { randomUUID } from 'node:crypto';

import { createAccounts, payingOperations, secretsOf, type Bridge } from '../n8n/bridge.ts';
import { LedgerHost } from '../n8n/ledgerHost.ts';
import { agentFile, withModel } from '../n8n/agent.ts';
import { workflow, type WorkflowFile, type WorkflowNode } from '../n8n/workflow.ts';
import type { Queue } from './queue.ts';

/** The reference service, credentials for it, and a job ledger in an n8n of many processes. */
export interface PaidBridge extends Bridge {
	ledger: LedgerHost;
}

export async function openPaidBridge({ editor }: Queue): Promise<PaidBridge> {
	const ledger = await LedgerHost.start(editor);
	const { service } = ledger;
	const accounts = await createAccounts(editor, secretsOf(service));
	await ledger.useLedger();
	return { editor, service, accounts, ledger };
}

/** One way to spend money. */
export interface PaidWork {
	name: string;
	/** @param text In what is sent. @param settings Of the node, such as `retryOnFail`. */
	nodes(bridge: PaidBridge, text: string, settings: Record<string, unknown>): WorkflowFile;
}

const ofOperations = payingOperations.map(
	([name, make]): PaidWork => ({
		name,
		nodes: ({ accounts }, text, settings) => workflow(name, [{}], make(accounts, text, settings)),
	}),
);

/** The names of starts with a unique key. */
export const START_ONCE = 'media start once per key';
export const GENERATE_ONCE = 'media generate once per key';

const ofLedger = [
	['media start with the ledger', 'start', () => ''],
	[START_ONCE, 'start', (text: string) => text],
	[GENERATE_ONCE, 'generate', (text: string) => text],
] as const;

const throughLedger = ofLedger.map(
	([name, operation, keyOf]): PaidWork => ({
		name,
		nodes: ({ ledger }, text, settings) => {
			const node = ledger.startNode(keyOf(text), { operation, prompt: text });
			return workflow(name, [{}], { ...node, ...settings } as WorkflowNode);
		},
	}),
);

/** n8n's own agent asks our chat model, without streaming: nobody reads along. */
const ofAgent: PaidWork = {
	name: 'AI Agent with a Model Router Chat Model',
	nodes: (bridge, text, settings) => {
		return agentFile({ text, settings, attached: [withModel(bridge)] }).file;
	},
};

/** Everything that may cost and is started in the editor. */
export const paidWork: readonly PaidWork[] = [...ofOperations, ...throughLedger, ofAgent];

/** A text that is in one request only, as no other text contains it. */
export const newText = () => `work ${randomUUID()}`;
