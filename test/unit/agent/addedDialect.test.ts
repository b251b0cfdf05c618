import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';

import type { Dialect } from '../../../src/agent/dialect';
import { inMemory } from '../inMemoryHttp';

/** Below "Add a form of answers" in docs/contributing/adding.md: the row, and its recording. */
const [, section = ''] = readFileSync('docs/contributing/adding.md', 'utf8').split(
	'## Add a form of answers',
);
const [, row = ''] = /```ts\n(.*?)```/s.exec(section) ?? [];
const [, recording = ''] = /`(\{"framework".*\})`/.exec(section) ?? [];

it('a form is one row and one recording, as docs/contributing shows', async () => {
	const { DIALECTS } = jest.requireActual<{ DIALECTS: Dialect[] }>('../../../src/agent/dialects');
	const added = runInThisContext(`[${row}]`) as Dialect[];
	jest.doMock('../../../src/agent/dialects', () => ({ DIALECTS: [...DIALECTS, ...added] }));
	const { sendMessage } = jest.requireActual<typeof import('../../../src/agent/client')>(
		'../../../src/agent/client',
	);
	const { body, contentType, expectedText, dialect } = JSON.parse(recording) as Record<
		string,
		string
	>;
	const answer = { headers: { 'content-type': contentType! }, chunks: [body!] };
	expect(await sendMessage(inMemory(answer), { sessionId: 's', content: 'q' })).toMatchObject({
		text: expectedText,
		dialect,
	});
});
