/* eslint-disable @n8n/community-nodes/icon-validation, @n8n/community-nodes/node-usable-as-tool,
   @n8n/community-nodes/node-connection-type-literal, @n8n/community-nodes/require-node-description-fields --
   nobody sees this node, and it must load without a package to import from */
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

/**
 * What n8n itself takes for one item: one parameter with an expression, one request through the helper with the credential
 * read once, the answer read to its end and thrown away. What our node takes more is its own.
 * To a reader of a live answer it passes on every piece as it comes.
 */
export class Floor implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Floor',
		name: 'floor',
		group: ['transform'],
		version: 1,
		description: 'The least that a request costs in n8n',
		defaults: { name: 'Floor' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'modelRouterApi', required: true }],
		properties: [
			{ displayName: 'Message', name: 'message', type: 'string', default: '' },
			{ displayName: 'Model', name: 'model', type: 'string', default: '' },
			{ displayName: 'Max Items at Once', name: 'concurrency', type: 'number', default: 20 },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const type = 'modelRouterApi';
		const data = await this.getCredentials(type);
		const model = this.getNodeParameter('model', 0);
		const items = this.getInputData();
		const output: INodeExecutionData[] = [];
		const live = this.isStreaming();
		let next = 0;
		const worker = async () => {
			for (let item = next++; item < items.length; item = next++) {
				const content = this.getNodeParameter('message', item);
				const { body } = await this.helpers.httpRequestWithAuthentication.call(
					this,
					type,
					{
						method: 'POST',
						url: `${String(data['baseUrl'])}/v1/chat/completions`,
						body: { model, messages: [{ role: 'user', content }], stream: true },
						json: true,
						encoding: 'stream',
						returnFullResponse: true,
						ignoreHttpStatusErrors: true,
						disableFollowRedirect: true,
					},
					{ credentialsDecrypted: { id: '', name: '', type, data } },
				);
				let bytes = 0;
				for await (const chunk of body as AsyncIterable<Uint8Array>) {
					bytes += chunk.length;
					if (live) await this.sendChunk('item', item, new TextDecoder().decode(chunk));
				}
				output[item] = { json: { output: `answer of ${bytes} bytes` }, pairedItem: { item } };
			}
		};
		await Promise.all(
			Array.from({ length: this.getNodeParameter('concurrency', 0) as number }, worker),
		);
		return [output];
	}
}
