import { END, type Dialect, type Meaning } from './dialect';

/** What comes between two marks is a thought: each mark begins a message of its own. */
const THOUGHTS: readonly Meaning[] = [
	{
		if: { 'data.start_to_think': true },
		numberedBelow: 'data.start_to_think',
		isOther: { 'data.start_to_think': true },
	},
	{ if: { 'data.end_to_think': true }, numberedBelow: 'data.end_to_think' },
];

/** A piece, of the message that the last mark has begun. */
const said = (piece: string): Meaning => ({
	unless: { 'data.start_to_think': true },
	opens: 'stream',
	piece,
	id: 'data.start_to_think',
});

/** Agents and chats of RAGFlow. */
export const RAGFLOW: readonly Dialect[] = [
	{
		name: 'RAGFlow',
		source: 'https://github.com/infiniflow/ragflow/blob/main/docs/references/http_api_reference.md',
		by: 'event',
		// some of these events have the names of those of Dify
		knownBy: [
			{ event: String, session_id: '*', task_id: '*' },
			{ 'data.answer': String, 'data.session_id': '*' },
			{ 'data.answer': String, code: 500 },
		],
		events: {
			message: [...THOUGHTS, said('data.content')],
			user_inputs: { asks: ['data.tips', 'data.inputs'], ends: 'answer' },
			message_end: END,
			workflow_finished: { all: 'data.outputs', ends: 'answer' },
			'': [
				{ if: { code: '*' }, fails: 'message' },
				...THOUGHTS,
				said('data.answer'),
				{ if: { data: true }, ends: 'stream' },
			],
			'[DONE]': END,
		},
	},
];
