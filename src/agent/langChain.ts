import { BEGIN, END, FAILURE, type Dialect, type Meaning } from './dialect';

/**
 * Calls of tools in a message of LangChain: in pieces, or whole. The number of a piece is unique until the tools have run. Many servers pass
 * on what the model says alone: then the text after a call shows that its tool has run.
 */
const langChainCalls = (message: string): readonly Meaning[] => [
	{ call: { each: `${message}.tool_call_chunks`, id: 'index', tool: 'name', adds: 'args' } },
	{
		unless: { [`${message}.tool_call_chunks`]: '*' },
		call: { each: `${message}.tool_calls`, id: 'id', tool: 'name', input: 'args' },
	},
	{
		if: { [`${message}.content[type=text|text_delta|output_text]`]: '*' },
		unless: { [`${message}.tool_call_chunks`]: '*', [`${message}.tool_calls`]: '*' },
		settles: '*',
	},
];

/** Where a message has why its model has stopped: ChatOpenAI, and ChatAnthropic in Python and JavaScript. */
const stoppedIn = (message: string): string[] =>
	[
		'response_metadata.finish_reason',
		'response_metadata.stop_reason',
		'additional_kwargs.stop_reason',
	].map((field) => `${message}.${field}`);

/** Types of a message of LangChain that are the model's. */
const AI = ['ai', 'AIMessageChunk'];
/** A run ends the stream that was first to start. */
const OUTERMOST = { ofOpening: 'run_id', ends: 'stream' } as const;
/** Interrupts of LangGraph. */
const asksAt = (place: string): Meaning => ({
	if: { [place]: '*' },
	asks: 'value',
	// each waits for a value
	call: { waitsFor: 'approval', each: place, id: 'id', reason: 'value' },
	settles: '*',
	ends: 'answer',
});
const ASKS = asksAt('__interrupt__');
const GROWING = { if: { '0.type': AI }, grows: '0.content', id: '0.id' };

/** A text, a message, a message and where it comes from, or the state of a graph. */
const SERIALIZED: readonly Meaning[] = [
	{ unless: { 0: '*' }, piece: ['', 'kwargs.content'], id: 'kwargs.id' },
	{
		piece: '0.kwargs.content',
		copies: { '0.id': 'AIMessage' },
		from: '1.langgraph_step',
		id: '0.kwargs.id',
		stopped: stoppedIn('0.kwargs'),
	},
	{
		piece: '1.0.kwargs.content',
		copies: { '1.0.id': 'AIMessage' },
		from: '1.1.langgraph_step',
		id: '1.0.kwargs.id',
	},
	{ state: 'messages' },
	{ if: { 0: 'values' }, state: '1.messages' },
	...langChainCalls('0.kwargs'),
	{ if: { '0.id': 'ToolMessage' }, settles: '*' },
	asksAt('1.__interrupt__'),
];

/** What graphs of LangGraph and chains of LangChain send: over its API, as events, or as messages. */
export const LANGCHAIN: readonly Dialect[] = [
	{
		name: 'LangGraph',
		source: '@langchain/langgraph-api 1.5.1',
		by: 'line',
		nameUntil: '|',
		knownBy: [
			'messages/partial',
			'messages/metadata',
			'messages/complete',
			'values',
			'updates',
			{ '#': 'messages', '0.type': '*' },
			{ __error__: '*' },
			{ __interrupt__: '*' },
		],
		events: {
			messages: [
				{
					if: { '0.type': AI },
					piece: '0.content',
					copies: { '0.type': 'ai' },
					// nodes of one step run in parallel
					from: '1.langgraph_step',
					id: '0.id',
					calls: '0.tool_calls',
					stopped: stoppedIn('0'),
				},
				...langChainCalls('0'),
				{ if: { '0.type': 'tool' }, settles: '*' },
			],
			'messages/partial': { ...GROWING, opens: 'message', calls: '0.tool_calls' },
			'messages/complete': {
				...GROWING,
				copies: GROWING.if,
				ends: 'step',
				calls: '0.tool_calls',
			},
			// with subgraphs, they come in place of messages/complete
			checkpoints: { ends: 'step' },
			values: [{ state: 'messages' }, ASKS],
			updates: [
				// what a resumed run has said before
				{ unless: { '__metadata__.cached': true }, added: '*.messages', ends: 'message' },
				ASKS,
			],
			error: FAILURE,
			end: END,
			'': [{ if: { __error__: '*' }, fails: '__error__' }, ASKS],
		},
	},
	{
		name: 'LangChain events',
		source: '@langchain/core 1.4.0, @langchain/langgraph-api 1.5.1',
		by: ['event', 'line'],
		knownBy: [
			'on_chain_*',
			'on_chat_model_*',
			'on_llm_*',
			'on_prompt_*',
			'on_tool_*',
			'on_parser_*',
		],
		events: {
			on_chain_start: BEGIN,
			on_chat_model_start: BEGIN,
			on_llm_start: BEGIN,
			on_chat_model_stream: { piece: ['data.chunk.content', 'data.chunk.kwargs.content'] },
			on_llm_stream: { piece: ['data.chunk.text', 'data.chunk.kwargs.content'] },
			on_chat_model_end: [
				{
					whole: ['data.output.content', 'data.output.kwargs.content'],
					ends: 'message',
					stopped: [...stoppedIn('data.output'), ...stoppedIn('data.output.kwargs')],
				},
				OUTERMOST,
			],
			on_llm_end: [{ whole: 'data.output.generations.text', ends: 'message' }, OUTERMOST],
			on_chain_end: { ...OUTERMOST, all: 'data.output', state: 'data.output.messages' },
			error: FAILURE,
			end: END,
		},
	},
	{
		name: 'LangChain messages',
		source: '@langchain/core 1.4.0, @langchain/langgraph 1.7.3 (as JSON, and as LangServe)',
		by: 'line',
		knownBy: [
			{ '#': 'data', '': String },
			{ lc: 1, type: 'constructor' },
			{ 'messages.lc': 1 },
			{ '0.lc': 1 },
			{ '1.messages.lc': 1 },
			{ '1.0.lc': 1 },
		],
		events: {
			metadata: { if: { run_id: '*' }, opens: 'stream' },
			data: SERIALIZED,
			error: FAILURE,
			end: END,
			'': SERIALIZED,
		},
	},
];
