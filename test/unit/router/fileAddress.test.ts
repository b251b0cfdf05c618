import { findFileAddress } from '../../../src/router/fileAddress';

// a stranger may have written the prompt and the inputs that a record repeats: only the address of the result is one
const url = 'https://files.example/a.png';
const other = 'https://evil.example/b.png';
const asked = { prompt: other, input: { image_url: other }, metadata: { url: other } };

it.each<[string, unknown]>([
	['alone', { url }],
	['beside what was asked', { ...asked, status: 'completed', output: url }],
	['in a list', { id: 'j', status: 'succeeded', output: [url], request: { url: other } }],
	['in a list of lists', [[{ url }]]],
	[
		'in a record',
		{ status: 'ok', data: { id: 'j', state: 'COMPLETED', result: { fileUrl: url } } },
	],
	['in a job', { job: { status: 'done', outputs: { download_url: url } } }],
	['in what the job makes', { images: [{ url, prompt: other }] }],
	['in one of what it makes', { Image: { url, width: 16 } }],
	['in a content', { status: 'completed', content: { output_url: url } }],
	['twice', { url, output: { files: [{ URL: url }] } }],
	['beside words with an address', { url, note: `see ${other}`, revisedPrompt: other }],
	['of a job that says nothing of its state', { id: 'j', url, progress: 100 }],
	['of a state that is a number', { status: 200, data: { url } }],
])('an address is followed: %s', (_where, body) => {
	expect(findFileAddress(body, 'images')).toBe(url);
});

it.each<[string, unknown]>([
	['a prompt', { status: 'completed', prompt: other }],
	['an input', { status: 'completed', input: { url: other } }],
	['a list of inputs', { inputs: [{ url: other }] }],
	['an input among results', { result: { input: { url: other } } }],
	['a prompt among results', { output: [{ prompt: other }] }],
	['a prompt in other letters', { result: { originalPrompt: other, PROMPT: other } }],
	['a request', { request: { output: { url: other } } }],
	['metadata', { data: { metadata: { file: other } } }],
	['a picture that may be an input', { status: 'completed', image_url: other }],
	['a list that may be inputs', { status: 'completed', images: [other] }],
	['another medium', { video: { url: other } }],
	['a field that names no result', { status: 'completed', webhook: other }],
	['a field without a name', { '': other }],
	['a result and something else', { url, preview: other }],
	['a link to the job', { job_url: other }],
	['a text that may have been sent', { status: 'completed', content: other }],
	['two results', { output: [url, other] }],
	['a job that has not completed', { status: 'processing', output: { url: other } }],
	['a job in an unknown state', { status: 'thinking', output: { url: other } }],
	['a job inside that has not completed', { status: 'ok', data: { state: 'queued', url: other } }],
	['a job beside that has not completed', { job: { status: 'queued' }, output: { url: other } }],
	['one of a list that has not completed', [{ status: 'running', url: other }]],
	['a result that has not completed', { output: { status: 'running', url: other } }],
	['a failed job', { status: 'failed', output: { url: other } }],
	['an error', { error: { message: 'It broke' }, url: other }],
	['an error inside', { data: { error: 'It broke', url: other } }],
	['words', { output: `look at ${other}` }],
	['no protocol', { url: '//evil.example/b.png' }],
	['a path', { url: '/v1/images/jobs/j/content' }],
	['another protocol', { url: 'file:///etc/passwd' }],
	['a text', other],
	['a list without names', [other]],
	['nothing', undefined],
])('no address is followed out of %s', (_where, body) => {
	const found = findFileAddress(body, 'images');
	expect(found).toBeUndefined();
});
