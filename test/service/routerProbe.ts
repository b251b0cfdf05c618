import { client, eventsIn } from './probe.ts';
import type { Service } from './service.ts';

export const MODEL = 'northwind/quill-2.5';
export const REASONER = 'aurora-labs/deep-reason-1';
/** Takes every modality. */
export const OMNI = 'aurora-labs/omni-2';

export const user = (content: unknown) => [{ role: 'user', content }];

/** One chunk of a streamed completion, as far as tests look at it. */
export interface Chunk {
	choices: Array<{
		index: number;
		delta: {
			content?: string;
			refusal?: string;
			reasoning_content?: string;
			tool_calls?: Array<{
				index: number;
				id?: string;
				function: { name?: string; arguments: string };
			}>;
		};
		logprobs?: object | null;
		finish_reason: string | null;
	}>;
	usage?: Record<string, number>;
	error?: { code: string };
}

/** One event of a streamed response, as far as tests look at it. */
export interface Event {
	type: string;
	delta?: string;
	output_index?: number;
	item_id?: string;
	item?: object;
	sequence_number: number;
	error?: object;
	response?: {
		status: string;
		output: unknown[];
		usage: object | null;
		incomplete_details: object | null;
	};
}

/** Asks the text side of C with no help of a client's. */
export function askRouter(service: Service, key: string = service.router.keys.main) {
	const http = client(service.router.baseUrl, { 'x-api-key': key });
	const chat = (body: object) => http.post('/v1/chat/completions', { model: MODEL, ...body });
	const respond = (body: object) => http.post('/v1/responses', { model: MODEL, ...body });
	return {
		chat,
		respond,
		/** A streamed answer event by event, as written. */
		async written(path: 'chat' | 'respond', body: object) {
			const { data } = await (path === 'chat' ? chat : respond)({ ...body, stream: true });
			return eventsIn(data as string);
		},
		/** The chunks of a streamed completion, which ends with `[DONE]` (section 6C). */
		async chunks(body: object): Promise<Chunk[]> {
			return untilDone(await this.written('chat', body)) as Chunk[];
		},
		/** The events of a streamed response. */
		async events(body: object): Promise<Event[]> {
			const { data, headers } = await respond({ ...body, stream: true });
			expect(headers['x-request-id']).toBeDefined();
			return untilDone(eventsIn(data as string)) as Event[];
		},
	};
}

/** The text of one choice. */
export const textOf = (list: Chunk[], index = 0): string =>
	list
		.flatMap(({ choices = [] }) => choices)
		.map((choice) => (choice.index === index ? (choice.delta.content ?? '') : ''))
		.join('');

/** An object without one of its fields. */
export const without = (field: string, value: object): object =>
	Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

function untilDone(list: ReturnType<typeof eventsIn>): unknown[] {
	expect(list.at(-1)).toEqual({ data: '[DONE]' });
	return list.slice(0, -1).map(({ data = '' }) => JSON.parse(data) as unknown);
}
