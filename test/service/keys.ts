/** Every key is an own word, so that a search for it in any output finds a leak. */
export const AGENT_KEYS: Record<string, string> = {
	'ws-1': 'agent-ws1-6f1c0e7a92',
	'ws-2': 'agent-ws2-b84d3350fe',
	'ws-3': 'agent-ws3-17ac9d26c5',
};

export const ASSISTANT_KEYS = {
	free: 'assistant-free-2e9b71d4a0',
	pro: 'assistant-pro-c05f88e613',
	enterprise: 'assistant-ent-94d1a7b32f',
	/** Valid, but without permission: 403 (section 5, rule 4). */
	forbidden: 'assistant-forbidden-7ad20c9e58',
};

export const ROUTER_KEYS = {
	main: 'router-main-d3a6f0b917',
	/** Has little balance. */
	poor: 'router-poor-48e1c25b0d',
};
