/** The shapes that the specification leaves open ("not shown"), each a switch. */
export interface Forms {
	/** Streams wait for `step()` before each further piece. */
	gate: boolean;
	/** Milliseconds between two pieces of a stream. */
	pace: number;

	/** Section 6A: events of the streamed answer, not shown. */
	agent: 'sse-json' | 'sse-text' | 'ndjson' | 'text' | 'json';

	/** Section 6B gives `null` as the data of `finish`; an event without a data line is dropped by the SSE standard. */
	finish: 'null' | 'empty';
	/** Section 2B: fields of the complete response, not shown. */
	assistantBody:
		| 'answer'
		| 'message-text'
		| 'content-parts'
		| 'data-analysis'
		| 'messages'
		| 'text';
	/** Messages in one stream of B. */
	assistantMessages: number;
	/** What a chat id does that no chat has; not specified. */
	unknownChat: 'refused' | 'accepted';
	/** How the 60 requests per minute of section 8 are counted; not specified. */
	rateWindow: 'fixed' | 'sliding' | 'bucket';
	/** Section 8: custom. */
	enterpriseLimit: number;
	/** Whether a 429 of B says when to come back; not specified. */
	retryAfter: 'seconds' | 'date' | 'absent';

	/** Section 4C: "the wrapper around the list of entries is not shown". */
	list: 'data' | 'array' | 'models' | 'object-by-id';
	entry: 'bare' | 'data' | 'model';
	/** Whether entries have fields that section 2C does not name. */
	catalogExtras: 'absent' | 'present';
	/** Whether entries list their input modalities (2C: optional); where they do not, every model takes all. */
	inputModalities: 'present' | 'absent';
	/** Section 4C names both `<segment>` and `<kind>` in the job paths. */
	jobPath: 'segment' | 'kind' | 'both';
	jobId: 'string' | 'number' | 'slash';
	jobStart: 'bare' | 'job' | 'data';
	jobStatus: 'bare' | 'job' | 'data';
	/** Section 3: names of the states other than completed and failed, not shown. An empty field name leaves the state out. */
	jobState: { field: string; pending: string; completed: string; failed: string };
	/** Status reads until a job is complete: 0 is complete at once. */
	jobSteps: number;
	/** When set, jobs complete this long after their start, however often they are read. */
	jobSeconds: number | null;
	/** How `cost` is written. */
	jobCost: 'number' | 'string' | 'absent';
	/** `right`, `missing` or any other value as it is. */
	contentType: string;
	/** `attachment`, `missing` or any other value as it is. */
	contentDisposition: string;
	contentLength: 'present' | 'absent';

	/** Section 7C: the status code of this refusal, not shown. */
	wrongEndpointStatus: number;

	/** Where the usage of a streamed completion stands; section 6C: "the final chunk carries `usage`". */
	chatChunkEnd: 'usage-alone' | 'usage-with-finish' | 'usage-in-each';
	/** How the arguments of a tool call come: as text in fragments, as one text, as an object; not shown. */
	toolFragments: 'strings' | 'whole' | 'object';
	/** The events of a response around the two that section 6C names, and whether they have a name. */
	responseEvents: 'full' | 'minimal' | 'unnamed' | 'unknown';
	/** Whether the last event of a response has the output once more; not shown. */
	responseOutput: 'present' | 'absent';
	/** Whether `[DONE]` comes after the last event of a response: section 6C says of both that they are the end. */
	doneMark: 'present' | 'absent';
	/** The parts of usage beyond the counts; not shown. */
	usageDetails: 'present' | 'absent';
	/** What stands under the key `error` of an error line (section 6C), and whether the line has a name. */
	errorLine: 'object' | 'object-without-code' | 'string' | 'string-with-code' | 'named';
	/** The last event of a response that ran into its token cap; section 6C says `response.completed`. */
	incomplete: 'completed' | 'incomplete';
}

export function defaultForms(): Forms {
	return {
		gate: false,
		pace: 0,
		agent: 'sse-json',
		finish: 'null',
		assistantBody: 'answer',
		assistantMessages: 1,
		unknownChat: 'refused',
		rateWindow: 'fixed',
		enterpriseLimit: 1000,
		retryAfter: 'seconds',
		list: 'data',
		entry: 'bare',
		catalogExtras: 'absent',
		inputModalities: 'present',
		jobPath: 'both',
		jobId: 'string',
		jobStart: 'bare',
		jobStatus: 'bare',
		jobState: {
			field: 'status',
			pending: 'processing',
			completed: 'completed',
			failed: 'failed',
		},
		jobSteps: 2,
		jobSeconds: null,
		jobCost: 'number',
		contentType: 'right',
		contentDisposition: 'attachment',
		contentLength: 'present',
		wrongEndpointStatus: 400,
		chatChunkEnd: 'usage-alone',
		toolFragments: 'strings',
		responseEvents: 'full',
		responseOutput: 'present',
		doneMark: 'present',
		usageDetails: 'present',
		errorLine: 'object',
		incomplete: 'completed',
	};
}
