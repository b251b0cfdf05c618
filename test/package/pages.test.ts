import { expectCommitted } from './committed';
import { renderAgentServers } from '../../scripts/docs/agentServers';
import { formatJson } from '../../scripts/docs/markdown';
import { renderNodePages, WRITTEN } from '../../scripts/docs/nodePages';
import { renderModelServices } from '../../scripts/docs/modelServices';
import { NOTES } from '../../scripts/docs/notes';
import { outputFields } from '../../scripts/docs/outputFields';
import { findSentences, instructs } from '../../scripts/docs/sentences';
import {
	groupOf,
	noteFor,
	renderTroubleshooting,
	whatToDo,
} from '../../scripts/docs/troubleshooting';

const sentences = findSentences();

it.each(renderNodePages(outputFields()).map(({ path, text }) => [path, text]))(
	'%s is as the node is',
	expectCommitted,
);

it('n8n tells language models the fields of the schemas', () => {
	expectCommitted('nodes/outputFields.json', `${formatJson(outputFields())}\n`);
});

it('docs/model-services.md is as the table of services is', () => {
	expectCommitted('docs/model-services.md', renderModelServices());
});

it('docs/which-agents.md is as the table of servers is', () => {
	expectCommitted('docs/which-agents.md', renderAgentServers());
});

it('what no error or hint says by itself is in docs/troubleshooting.md', () => {
	expect(sentences.length).toBeGreaterThan(200);
	expectCommitted('docs/troubleshooting.md', renderTroubleshooting(sentences, WRITTEN));
});

it('every one has its group there', () => {
	// a file of a new kind belongs into GROUPS of scripts/docs/troubleshooting.ts
	expect(sentences.filter((one) => !groupOf(one))).toEqual([]);
});

it('every one says what to do, or scripts/docs/notes.ts does', () => {
	const silent = sentences.filter((one) => !instructs(one.message) && !whatToDo(one));
	expect(silent.map(({ file, message }) => `${file}: ${message}`)).toEqual([]);
	const noted = new Set(sentences.filter(noteFor).map(({ message }) => message));
	expect(Object.keys(NOTES).filter((message) => !noted.has(message))).toEqual([]);
});
