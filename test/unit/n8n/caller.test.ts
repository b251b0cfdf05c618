import { createRunExecutionData, type IExecuteFunctions } from 'n8n-workflow';

import { findCaller, readSpeakerTurn } from '../../../src/n8n/caller';
import { executeContext, type Execution } from './executeContext';

// who calls a tool is what n8n recorded, never what the item says
const PACK = 'n8n-nodes-agent-bridge';
const TYPES: Record<string, string> = {
	Talk: `${PACK}.agentConversation`,
	Other: 'n8n-nodes-other.agentConversation',
	Agent: '@n8n/n8n-nodes-langchain.agent',
	Nested: '@n8n/n8n-nodes-langchain.agentTool',
	Mcp: '@n8n/n8n-nodes-langchain.mcpTrigger',
	Gate: 'n8n-nodes-base.gmailHitlTool',
	'Gate of nobody': 'n8n-nodes-base.gmailHitlTool',
	'Gate of both': 'n8n-nodes-base.gmailHitlTool',
	'Gate of a gate': 'n8n-nodes-base.gmailHitlTool',
	constructor: 'n8n-nodes-base.set',
	Tool: `${PACK}.modelRouterTool`,
	Plain: `${PACK}.modelRouter`,
};
const ITEM = { conversationId: 'c1', turn: 3, sessionId: 's1', showLive: true };

interface Case extends Execution {
	/** Members that n8n's context lacks. */
	without?: 'workflow' | 'getChildNodes' | 'executeData' | 'runExecutionData';
}

function contextOf({ name = 'Tool', without, ...more }: Case) {
	const below = (...above: string[]) => ({
		ai_tool: [above.map((node) => ({ node, type: 'ai_tool' as const, index: 0 }))],
	});
	const runs = [10, 11, 12].map((previousNodeRun) => ({
		startTime: 0,
		executionTime: 0,
		executionIndex: 0,
		source: [{ previousNode: 'Talk', previousNodeRun }],
	}));
	const context = executeContext({
		name,
		type: TYPES[name]!,
		others: TYPES,
		items: [{ json: { ...ITEM, toolCallId: '4.3.1' } }],
		data: createRunExecutionData({ resultData: { runData: { Gate: runs } } }),
		connections: {
			Gate: below('Talk'),
			'Gate of both': below('Talk', 'Agent'),
			'Gate of a gate': below('Gate'),
		},
		...more,
	});
	if (!without) return context;
	const value =
		without === 'getChildNodes'
			? (Object.create(context.workflow, { getChildNodes: {} }) as object)
			: undefined;
	const member = value ? 'workflow' : without;
	return Object.create(context, { [member]: { value } }) as IExecuteFunctions;
}

const from = (previousNode: string, previousNodeRun = 0) => ({
	source: { previousNode, previousNodeRun },
});

it.each<[string, Case, string]>([
	['a node of the workflow', { name: 'Plain', ...from('Talk') }, 'workflow'],
	['a conversation', from('Talk'), 'conversation'],
	['a conversation of another package', from('Other'), 'aiAgent'],
	['an AI agent', from('Agent'), 'aiAgent'],
	['an agent that is a tool of a conversation', { ...from('Talk'), executed: 'Nested' }, 'aiAgent'],
	['an agent after a conversation', { ...from('Talk'), executed: 'Agent' }, 'aiAgent'],
	['an MCP Server Trigger', { source: null, executed: 'Mcp' }, 'aiAgent'],
	['nobody', { source: null }, 'aiAgent'],
	['a node that is gone', from('Gone'), 'aiAgent'],
	['a node named as a member of every object', from('constructor'), 'aiAgent'],
	['a review below a conversation', from('Gate'), 'conversation'],
	['a review below a conversation and an agent', from('Gate of both'), 'aiAgent'],
	['a review below nothing', from('Gate of nobody'), 'aiAgent'],
	['a review below a review', from('Gate of a gate'), 'aiAgent'],
	['a conversation, without workflow', { ...from('Talk'), without: 'workflow' }, 'aiAgent'],
	['a review, without getChildNodes', { ...from('Gate'), without: 'getChildNodes' }, 'aiAgent'],
	['a conversation, without executeData', { ...from('Talk'), without: 'executeData' }, 'aiAgent'],
])('called by %s', (_by, options, expected) => {
	const n8n = contextOf(options);
	expect(findCaller(n8n)).toBe(expected);
	if (expected !== 'conversation') expect(readSpeakerTurn(n8n)).toBeUndefined();
});

it.each<[string, Case, string]>([
	['the caller', from('Talk', 2), '2 Talk'],
	['the conversation above a review', from('Gate', 2), '12 Talk'],
	['nobody known above a review', { ...from('Gate', 2), without: 'runExecutionData' }, '0 '],
])('a turn is held by %s', (_by, options, conversationRun) => {
	expect(readSpeakerTurn(contextOf(options))).toEqual({ ...ITEM, itemIndex: 4, conversationRun });
});
