import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { mainConnection, requireN8n } from '../../src/n8n/n8nVersions';
import { bridgeParams, wiringNotice } from './bridge.params';
import { hold } from './hold';

export class AgentBridge implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Bridge',
		name: 'agentBridge',
		icon: { light: 'file:../../icons/bridge.svg', dark: 'file:../../icons/bridge.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ "up to " + $parameter["turnLimit"] + " turns" }}',
		builderHint: {
			searchHint:
				'Lets two agents, assistants or models talk to each other, turn by turn, until a limit or a stop phrase.',
		},
		description: 'Let two agents, assistants or models talk to each other, turn by turn',
		defaults: { name: 'Agent Bridge' },
		inputs: [mainConnection],
		outputs: [mainConnection, mainConnection, mainConnection],
		outputNames: ['First Speaker', 'Second Speaker', 'Done'],
		// no tool: an agent calls one once, and a loop needs many runs. n8n's linter wants to read it here all the same.
		usableAsTool: undefined as never,
		properties: [wiringNotice, ...bridgeParams],
	};

	async execute(this: IExecuteFunctions) {
		requireN8n(this);
		return await hold(this);
	}
}
