// Graphs as LangGraph's documentation builds them: of a model and a tool, of two branches, and LangChain's agent that asks a person.
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { tool as langChainTool } from '@langchain/core/tools';
import { interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';

import { createAgent, humanInTheLoopMiddleware } from 'langchain';

import { failure, nextTurn, tool, wordsOf } from './script.mjs';

class ScriptedModel extends BaseChatModel {
	/** @param {number} calls How often it calls the tool at once. */
	constructor(calls) {
		super({});
		this.calls = calls;
	}

	_llmType() {
		return 'scripted';
	}

	bindTools() {
		return this;
	}

	async *_streamResponseChunks(messages, _options, runManager) {
		const questions = messages.filter(({ type }) => type === 'human').map(({ text }) => text);
		const { text, then } = nextTurn(questions, messages.at(-1).type === 'tool');
		for await (const content of wordsOf(text)) {
			const chunk = new ChatGenerationChunk({
				text: content,
				message: new AIMessageChunk(content),
			});
			yield chunk;
			await runManager?.handleLLMNewToken(content, undefined, undefined, undefined, undefined, {
				chunk,
			});
		}
		if (then === 'fail') throw new Error(failure);
		if (then !== 'call') return;
		const tool_call_chunks = Array.from({ length: this.calls }, (_, index) => ({
			id: crypto.randomUUID(),
			index,
			name: tool.name,
			args: JSON.stringify(tool.args),
		}));
		const message = new AIMessageChunk({ content: '', tool_call_chunks });
		yield new ChatGenerationChunk({ text: '', message });
	}
}

const { name, description, parameters: schema } = tool;
const model = new ScriptedModel(1);
const lookUp = langChainTool(tool.run, { name, description, schema });

/** What the graph asks a person, with this mark in a question: as LangGraph's documentation does, and as LangChain's middleware does. */
const ASKS = {
	'[may]': 'May I go on?',
	'[tools]': {
		actionRequests: [{ name, args: tool.args, description: 'Tool execution requires approval' }],
		reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'edit', 'reject'] }],
	},
};

/** @returns what a person has decided, if the question wants that; until then, the graph stops here */
function decisionOn({ type, text }) {
	const mark = Object.keys(ASKS).find((one) => type === 'human' && text.includes(one));
	return mark && new AIMessage(`Decided: ${JSON.stringify(interrupt(ASKS[mark]))}`);
}

export const graph = new StateGraph(MessagesAnnotation)
	.addNode('agent', async ({ messages }) => ({
		messages: [decisionOn(messages.at(-1)) ?? (await model.invoke(messages))],
	}))
	.addNode('tools', new ToolNode([lookUp]))
	.addEdge('__start__', 'agent')
	.addConditionalEdges('agent', toolsCondition)
	.addEdge('tools', 'agent')
	.compile();

/** One branch asks a person, and the other speaks meanwhile. */
export const branches = new StateGraph(MessagesAnnotation)
	.addNode('asks', () => ({
		messages: [new AIMessage(`Decided: ${JSON.stringify(interrupt(ASKS['[may]']))}`)],
	}))
	.addNode('speaks', async ({ messages }) => {
		const question = messages.find(({ type }) => type === 'human');
		return { messages: [await new ScriptedModel(0).invoke([question])] };
	})
	.addEdge('__start__', 'asks')
	.addEdge('__start__', 'speaks')
	.compile();

/** It calls two tools at once, about which it asks a person. */
export const approving = createAgent({
	model: new ScriptedModel(2),
	tools: [lookUp],
	middleware: [humanInTheLoopMiddleware({ interruptOn: { [name]: true } })],
});
