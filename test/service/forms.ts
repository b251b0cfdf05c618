/** The shapes that the specification leaves open, each a switch. The first of a list is the default. */
const CHOICES = {
	/** Section 6A: events of the streamed answer, not shown. */
	agent: ['sse-json', 'text', 'ag-ui'],

	/** What a chat id does that no chat has; not specified. */
	unknownChat: ['refused', 'accepted'],
	/** How the 60 requests per minute of section 8 are counted; not specified. */
	rateWindow: ['fixed', 'sliding', 'bucket'],

	/** Section 4C: "the wrapper around the list of entries is not shown". */
	list: ['data', 'models'],
	/** Whether a job tells its costs (section 3). */
	jobCost: ['number', 'absent'],
	contentLength: ['present', 'absent'],

	/** Where the usage of a streamed completion stands; section 6C: "the final chunk carries `usage`". */
	chatChunkEnd: ['usage-alone', 'usage-in-each'],
	/** What stands under the key `error` of an error line (section 6C), and whether the line has a name. */
	errorLine: ['object', 'string', 'named'],
} as const;

const values = () => ({
	/** Streams wait for `step()` before each further piece. */
	gate: false,
	/** Milliseconds between two pieces of a stream. */
	pace: 0,
	/** Section 8: custom. */
	enterpriseLimit: 1000,
	/** Status reads until a job is complete: 0 is complete at once. */
	jobSteps: 2,
	/** When set, jobs complete this long after their start, however often they are read. */
	jobSeconds: null as number | null,
	/** `right`, or any other value as it is. */
	contentType: 'right',
	/** `attachment`, `missing` or any other value as it is. */
	contentDisposition: 'attachment',
});

type Choices = { -readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
export type Forms = Choices & ReturnType<typeof values>;

export function defaultForms(): Forms {
	const chosen = Object.entries(CHOICES).map(([name, [first]]) => [name, first]);
	return { ...values(), ...(Object.fromEntries(chosen) as Choices) };
}
