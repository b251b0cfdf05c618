/**
 * What people type, and which of our nodes answers it. Written before any word was added by which n8n finds the nodes: a phrase is
 * added when somebody uses it, and never because a node would be found by it.
 *
 * Taken from threads (microsoft/autogen, langgenius/dify, FlowiseAI/Flowise, n8n-io/n8n, BerriAI/litellm, activepieces), from titles of
 * n8n's templates, and from what comparable packages call themselves.
 */
export interface Phrases {
	/** As the list of nodes names it, or without the package: what any of them answers is found. */
	nodes: readonly string[];
	phrases: readonly string[];
}

/** Typed into the search of n8n's editor: a word or two. */
export const TYPED: Phrases[] = [
	{
		nodes: ['Agent Conversation'],
		phrases: [
			'agent to agent',
			'multi agent',
			'multi-agent',
			'group chat',
			'debate',
			'negotiate',
			'moderator',
			'round robin',
			'agent handoff',
			'A2A',
		],
	},
	{
		nodes: ['Workspace Agent'],
		phrases: ['workspace agent', 'external agent', 'agent session', 'remote agent', 'custom agent'],
	},
	{
		nodes: ['Crypto Q&A'],
		phrases: [
			'crypto',
			'bitcoin',
			'btc',
			'ethereum',
			'crypto price',
			'token price',
			'market data',
			'sentiment',
			'crypto news',
			'wallet',
			'defi',
			'on-chain',
		],
	},
	{
		nodes: ['Model Router', 'Model Router Chat Model'],
		phrases: [
			'llm',
			'openrouter',
			'gpt',
			'claude',
			'gemini',
			'chat completion',
			'chat model',
			'language model',
			'model router',
		],
	},
	{
		nodes: ['Model Router'],
		phrases: [
			'generate image',
			'image generation',
			'text to image',
			'text to video',
			'generate video',
			'video generation',
			'text to speech',
			'tts',
			'music',
			'estimate cost',
			'token usage',
			'spending cap',
			'budget',
			'media job',
		],
	},
];

/** What models ask `search_nodes` of n8n's MCP server: a few words each. */
export const ASKED: Phrases[] = [
	{
		nodes: ['agentConversation'],
		phrases: [
			'agents talk to each other',
			'multi-agent conversation',
			'multi-agent',
			'agent debate',
			'agent group chat',
			'negotiate between agents',
			'moderator',
			'agent to agent',
			'A2A',
			'conversation between two agents',
			'human in the loop conversation',
		],
	},
	{
		nodes: ['workspaceAgent'],
		phrases: [
			'workspace agent',
			'send message to agent',
			'external agent',
			'remote AI agent',
			'message an agent session',
		],
	},
	{
		nodes: ['marketAssistant'],
		phrases: [
			'crypto market data',
			'crypto',
			'bitcoin price',
			'ethereum token price',
			'crypto sentiment',
			'crypto news',
			'wallet analysis',
			'token analysis',
			'defi',
			'on-chain data',
		],
	},
	{
		nodes: ['modelRouter', 'lmChatModelRouter'],
		phrases: [
			'LLM',
			'openrouter',
			'gpt',
			'claude model',
			'gemini',
			'chat model',
			'language model with spending cap',
			'fallback model',
		],
	},
	{
		nodes: ['modelRouter'],
		phrases: [
			'generate image',
			'image generation',
			'text to video',
			'generate video',
			'video generation',
			'text to speech',
			'music generation',
			'estimate cost',
			'LLM cost',
			'spending cap',
			'budget',
		],
	},
	{
		nodes: ['modelRouterTrigger'],
		phrases: [
			'media job trigger',
			'video done trigger',
			'job finished trigger',
			'wait for video',
			'model router trigger',
		],
	},
];

/** How many phrases there are. */
export const count = (lists: readonly Phrases[]): number =>
	lists.flatMap(({ phrases }) => phrases).length;

/** The phrases whose node is not among the first three of what is found. */
export async function missed(
	lists: readonly Phrases[],
	find: (phrase: string) => Promise<string[]> | string[],
): Promise<string[]> {
	const unfound: string[] = [];
	for (const { nodes, phrases } of lists)
		for (const phrase of phrases) {
			const found = (await find(phrase)).slice(0, 3);
			if (!found.some((one) => nodes.includes(one)))
				unfound.push(`${phrase}: ${found.join(', ') || 'nothing'}`);
		}
	return unfound;
}
