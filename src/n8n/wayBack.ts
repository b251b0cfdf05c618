import type { IExecuteFunctions } from 'n8n-workflow';

/** What is wrong with the wires of an output: there are none, or none of them leads back. */
export type WayBack = 'unconnected' | 'no way back';

interface Connection {
	node: string;
	/** The output of that node. */
	index: number;
}

/**
 * For a node in a loop: looks along the wires of one of its outputs for a way back to itself.
 *
 * n8n tells a node which nodes follow it, and by a method that its types leave out what is wired into each of them (n8n-core
 * 2.41.1, node-execution-context.js:150).
 *
 * @returns undefined when all is well, and when n8n does not tell.
 */
export function wayBack(n8n: IExecuteFunctions, output: number): WayBack | undefined {
	const wired = n8n as {
		getConnections?(node: { name: string }, type: 'main'): Array<Connection[] | null>;
	};
	if (typeof wired.getConnections !== 'function') return undefined;
	const { name: own } = n8n.getNode();
	const leadsTo = (node: { name: string }) =>
		(wired.getConnections?.(node, 'main') ?? [])
			.flatMap((connections) => connections ?? [])
			.some(({ node: from, index }) => from === own && index === output);
	// in a loop a node follows itself, too
	const next = [...n8n.getChildNodes(own), { name: own }].filter(leadsTo);
	if (!next.length) return 'unconnected';
	const comesBack = ({ name }: { name: string }) =>
		name === own || n8n.getChildNodes(name).some((child) => child.name === own);
	return next.some(comesBack) ? undefined : 'no way back';
}
