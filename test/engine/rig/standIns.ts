import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

/** A type of node that only a test has. */
export const standIn = (
	does: Pick<INodeType, 'execute' | 'supplyData'>,
	description: Partial<INodeTypeDescription> = {},
): INodeType => ({
	description: {
		displayName: 'Stand-in',
		name: 'standIn',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
		...description,
	},
	...does,
});

/** As n8n makes it of a node. @see n8n 2.41.1, tool-generation/ai-tools.js */
export function asTool(type: INodeType): INodeType {
	const description = Object.create(type.description, {
		name: { value: `${type.description.name}Tool` },
		inputs: { value: [] },
		outputs: { value: ['ai_tool'] },
	}) as INodeType['description'];
	return Object.create(type, { description: { value: description } }) as INodeType;
}
