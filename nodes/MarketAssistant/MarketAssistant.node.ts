import {
	type IExecuteFunctions,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { checkLedgerKey } from '../../src/ledger/openLedger';
import { createCredentialTest } from '../../src/n8n/credentialTest';
import { sessionSubtitle } from '../../src/n8n/chatInput.params';
import { nodeProperties } from '../../src/n8n/nodeProperties';
import { runNode } from '../../src/n8n/runNode';
import outputFields from '../outputFields.json';
import { access, probe, resources } from './resources';

export class MarketAssistant implements INodeType {
	description: INodeTypeDescription = {
		// the name that people and models find it by: n8n's MCP server finds "crypto" only in a short one
		displayName: 'Crypto Q&A',
		name: 'marketAssistant',
		icon: { light: 'file:../../icons/assistant.svg', dark: 'file:../../icons/assistant.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: sessionSubtitle,
		description: 'Ask about the crypto market: prices, tokens, wallets, trades, sentiment and news',
		defaults: { name: 'Crypto Q&A' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			extraTypeDefContent: outputFields.marketAssistant,
			searchHint:
				'Answers questions about crypto markets, tokens, wallets, on-chain data, sentiment and news. One item for each coin and each kind of question. Reports no cost.',
			relatedNodes: [
				{
					nodeType: '@n8n/n8n-nodes-langchain.chatTrigger',
					relationHint: 'Hands over the question and the session of the chat',
				},
			],
		},
		credentials: [
			{ name: 'marketAssistantApi', required: true, testedBy: 'testMarketAssistantApi' },
		],
		properties: nodeProperties(resources, 'question'),
	};

	methods = {
		credentialTest: { testMarketAssistantApi: createCredentialTest(access, probe, checkLedgerKey) },
	};

	async execute(this: IExecuteFunctions) {
		return await runNode(this, resources, access);
	}
}
