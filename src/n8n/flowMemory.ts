import { hash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/** Short texts that nodes keep for one another through one execution. */
export interface FlowMemory {
	get(name: string): string | undefined;
	set(name: string, value: string): void;
}

/**
 * It lives in the context of the whole execution, for all nodes and all their runs, and is stored with it: no secrets.
 *
 * @param scope What tells one credential and address from another.
 */
export function flowMemory(n8n: IExecuteFunctions, scope: string): FlowMemory {
	const context = n8n.getContext('flow') as { agentBridge?: Record<string, string> };
	const keyOf = (name: string) => hash('sha256', `${scope}\n${name}`, 'base64');
	return {
		get: (name) => context.agentBridge?.[keyOf(name)],
		set(name, value) {
			(context.agentBridge ??= {})[keyOf(name)] = value;
		},
	};
}
