import { rmSync } from 'node:fs';
import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';

import { loadPackage, propertiesBelow, type LoadedPackage } from './copyOfPackage';

// n8n drops the value of a hidden field before a node runs, so a hidden field that protects money would protect nothing
let folder: string;
let nodes: LoadedPackage['nodes'];
let credentials: LoadedPackage['credentials'];
beforeAll(async () => void ({ folder, nodes, credentials } = await loadPackage()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fields that other fields hide, and which these are. An operation is no such field: it decides what happens. */
const hiddenIn = (place: string, properties: INodeProperties[]) =>
	propertiesBelow(place, properties).flatMap(({ place: path, property }) => {
		const { show = {}, hide = {} } = property.displayOptions ?? {};
		const by = [...new Set([...Object.keys(show), ...Object.keys(hide)])].filter(
			(field) => field !== 'resource' && field !== 'operation',
		);
		// n8n's own
		const isOurs = !path.includes('.pollTimes') && property.type !== 'notice';
		return isOurs && by.length ? [`${path}: ${by.join(', ')}`] : [];
	});

const OF_BUDGET = 'part of the job ledger: turning the ledger off turns the budget off, as it says';

/** Fields about money that may be hidden, and why. */
const money: Record<string, string> = {
	'modelRouter.allowAgents: @tool': 'a permission: where it is hidden, no model asks',
	'workspaceAgent.options.answerToApproval: /agentOf, @tool':
		'where it is hidden, nothing is approved: no model decides',
	'modelRouterApi.budgetUsd: useJobLedger': OF_BUDGET,
	'modelRouterApi.budgetPeriod: useJobLedger, budgetUsd': OF_BUDGET,
	'modelRouterApi.workflowsMayResume: useJobLedger, budgetUsd': OF_BUDGET,
	'modelRouterApi.workflowsMayRaiseBy: useJobLedger, budgetUsd': OF_BUDGET,
	'modelRouterApi.unknownCostUsd: useJobLedger, budgetUsd': OF_BUDGET,
	'modelRouterApi.apiKey: keyIn': 'where the service takes none, none is sent',
	'modelRouterApi.alarmPercents: useJobLedger, budgetUsd': OF_BUDGET,
	'modelRouterApi.recordSpending: useJobLedger': 'limits nothing: it writes down what was spent',
	'modelRouterApi.spendingTable: useJobLedger, recordSpending': 'the name of that record',
};

/** Fields that have nothing to do with money: texts, files, formats, names, and which entry is meant. */
const others = `
	agentServerApi.apiKey: keyIn
	agentServerApi.ledgerTable: useJobLedger
	agentServerApi.n8nApiKey: useJobLedger
	agentServerApi.n8nUrl: useJobLedger
	workspaceAgent.agent: agentOf
	workspaceAgent.messageSource: @tool
	workspaceAgent.message: messageSource, @tool
	workspaceAgent.message: @tool
	workspaceAgent.sessionId: sessionMode
	workspaceAgent.sessionKey: sessionMode
	marketAssistant.questionSource: @tool
	marketAssistant.question: questionSource, @tool
	marketAssistant.question: @tool
	marketAssistant.chatId: sessionMode
	marketAssistant.sessionKey: sessionMode
	marketAssistant.options.includeRawEvents: /streamAnswer
	marketAssistant.options.onIncomplete: /streamAnswer
	marketAssistant.options.showToolCalls: /streamAnswer
	modelRouter.prompt: inputType, @tool
	modelRouter.prompt: @tool
	modelRouter.messages: inputType
	modelRouter.messages.assistantMessage: role
	modelRouter.messages.toolCallId: role
	modelRouter.messagesJson: inputType
	modelRouter.jsonSchema: responseFormat
	modelRouter.options.toolChoice.toolName: mode
	modelRouter.options.aspectRatio: /mediaType
	modelRouter.options.duration: /mediaType
	modelRouter.options.voice: /mediaType
	modelRouter.limit: returnAll
	modelRouter.reservationId: findBy
	modelRouter.jobId: findBy
	modelRouter.uniqueKey: findBy
	modelRouter.entryId: findBy
	modelRouter.executionId: findBy
	modelRouter.hours: findBy
	modelRouterTrigger.mediaType: watch
	modelRouterTrigger.jobIds: watch
	modelRouterTrigger.triggerGroup: watch
	modelRouterTrigger.deliveredWhen: watch
	modelRouterTrigger.downloadFile: events
	modelRouterTrigger.binaryProperty: events, downloadFile
	lmChatModelRouter.jsonSchema: responseFormat
	agentConversation.openingMessageSource: @tool
	agentConversation.openingMessage: openingMessageSource, @tool
	agentConversation.conversationId: sessionMode
	agentConversation.sessionKey: sessionMode
	agentConversation.options.moderatorInstructions: /turnOrder
	marketAssistantApi.requestsPerMinute: plan
	marketAssistantApi.n8nUrl: useJobLedger
	marketAssistantApi.n8nApiKey: useJobLedger
	marketAssistantApi.ledgerTable: useJobLedger
	marketAssistantApi.shareLimit: useJobLedger
	modelRouterApi.n8nUrl: useJobLedger
	modelRouterApi.n8nApiKey: useJobLedger
	modelRouterApi.ledgerTable: useJobLedger`;

it('every hidden field is known: if a new one protects money, do not hide it, and refuse it where it cannot work', () => {
	const found = [
		...nodes.flatMap(({ description: { name, properties } }) => hiddenIn(name, properties)),
		...credentials.flatMap(({ name, properties }) => hiddenIn(name, properties)),
	];
	const known = [...Object.keys(money), ...others.split('\n').map((line) => line.trim())];
	expect([...new Set(found)].sort()).toEqual(known.filter(Boolean).sort());
});

it('n8n keeps what protects money where the switch that it needs is off', () => {
	const { description } = nodes.find(({ description: { name } }) => name === 'modelRouter')!;
	for (const operation of ['start', 'generate']) {
		const given = { resource: 'media', operation, useLedger: false, uniqueKey: 'order 7' };
		const node = { type: description.name, typeVersion: 1, parameters: given } as unknown as INode;
		expect(
			NodeHelpers.getNodeParameters(description.properties, given, true, false, node, description),
		).toMatchObject({ uniqueKey: 'order 7' });
	}
});
