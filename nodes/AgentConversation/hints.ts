import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { failsNode } from '../../src/conversation/ending';
import { shortenText, withFullStop } from '../../src/core/errors';
import { groupBy } from '../../src/core/grouping';
import { addHint } from '../../src/n8n/hints';
import { findNode } from '../../src/n8n/platform';
import type { State } from './request';
import { findAsker, isKind } from './speakers';

/** Shows next to the output what a green node does not say. */
export function showHints(n8n: IExecuteFunctions, state: State): void {
	hintAtFailure(n8n, state);
	hintInChat(n8n, state);
	hintAtAgents(n8n, state);
}

/** Characters of a speaker's own words. */
const MAX_WORDS = 500;

/** A speaker that fails ends the conversation and not the execution, unless the user has chosen that. */
function hintAtFailure(n8n: IExecuteFunctions, { items }: State): void {
	const all = items.flatMap((item) => ('conversation' in item ? [item.conversation] : []));
	const failed = all.filter((one) => one.ending?.kind === 'speakerFailed' && !failsNode(one));
	const { ending, turns = [] } = failed[0] ?? {};
	if (ending) {
		const { speaker = 'A speaker', error = ending.reason } = ending.failure ?? {};
		const others = all.length > 1 ? `${failed.length} of ${all.length} conversations failed. ` : '';
		const why = withFullStop(shortenText(error, MAX_WORDS));
		addHint(
			n8n,
			`${others}${speaker} failed, so the conversation ended in turn ${turns.length}: ${why} To make the execution fail, choose On Failure of a Speaker: Fail.`,
		);
	}
	const outputs = all.map(({ conclusion }) => conclusion?.output ?? {});
	const withoutResult = outputs.find((output) => 'resultError' in output);
	if (withoutResult) addHint(n8n, `There is no result: ${withoutResult.resultError}`);
}

/** n8n's chat shows `output` of the last node, unless it streams. When the execution waits, it has shown all that it will show. */
function hintInChat(n8n: IExecuteFunctions, { items, speakers }: State): void {
	const trigger = n8n
		.getParentNodes(n8n.getNode().name)
		.find(({ type }) => /\.chatTrigger$/.test(type));
	if (!trigger || n8n.isStreaming()) return;
	const hasPeople = Object.values(speakers).some((tool) => findAsker(n8n, tool));
	const options = findNode(n8n, trigger.name)?.parameters['options'] as IDataObject | undefined;
	const hasTurns = items.some(
		(item) =>
			'conversation' in item && item.settings.showLive && item.conversation.turns.length > 1,
	);
	// with Chat nodes, the workflow itself says what the chat shows
	if (hasPeople && options?.['responseMode'] !== 'responseNodes')
		addHint(
			n8n,
			'A chat shows nothing more once a person is asked. Start this conversation from a form or a schedule, and send the result with a node after this one.',
		);
	else if (hasTurns && !hasPeople)
		addHint(
			n8n,
			'The chat shows only the last turn. To follow the conversation live, set Response Mode in the options of the Chat Trigger ("On chat message") to Streaming.',
		);
}

/** The key of a workspace is that of one agent. Another server may have several. */
function hintAtAgents(n8n: IExecuteFunctions, { speakers }: State): void {
	const agents = Object.values(speakers).filter((tool) => isKind(tool, 'workspaceAgentTool'));
	const isOther = ({ node }: { node: string }) =>
		findNode(n8n, node)?.parameters['agentOf'] === 'server';
	const agentOf = (tool: { node: string }) => {
		const { credentials = {}, parameters = {} } = findNode(n8n, tool.node) ?? {};
		if (!isOther(tool)) return credentials['workspaceAgentApi']?.id;
		const { value = '' } = (parameters['agent'] ?? {}) as IDataObject;
		const id = credentials['agentServerApi']?.id;
		return id && `${id} ${String(value)}`;
	};
	for (const [agent, sharing] of groupBy(agents, agentOf)) {
		if (!agent || sharing.length === 1) continue;
		const names = sharing.map(({ node }) => node).join(' and ');
		addHint(
			n8n,
			sharing.some(isOther)
				? `${names} use the same credential and the same Agent, so one agent talks to itself. For another agent, choose another credential or another Agent.`
				: `${names} use the same credential, so one agent talks to itself. For another agent, choose another credential.`,
		);
	}
}
