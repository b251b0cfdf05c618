import {
	addressedSpeaker,
	nextInTurn,
	readModeration,
	toModeratorPrompt,
} from '../../../src/conversation/nextTurn';
import { begun, said } from './talk';

const speakers = ['Analyst', 'Senior Analyst', 'Lawyer'];
const after = (speaker: string, text: string) => ({
	...begun({}, speakers),
	turns: [said(speaker, text)],
});

it('in turn, beginning with the first', () => {
	expect(nextInTurn(begun({}, speakers))).toBe('Analyst');
	expect(nextInTurn(after('Analyst', ''))).toBe('Senior Analyst');
	expect(nextInTurn(after('Lawyer', ''))).toBe('Analyst');
	// somebody who is no longer connected
	expect(nextInTurn(after('Eve', ''))).toBe('Analyst');
});

it.each([
	['What do you think, @Lawyer?', 'Lawyer'],
	['@lawyer: and you?', 'Lawyer'],
	['@Senior Analyst and @Lawyer', 'Senior Analyst'],
	['First @Lawyer, then @Senior Analyst', 'Lawyer'],
	// nobody addresses itself
	['I am @Analyst', 'Senior Analyst'],
	['nobody', 'Senior Analyst'],
	['write to me@lawyer', 'Senior Analyst'],
	['@Lawyers', 'Senior Analyst'],
])('"%s" is answered by %s', (text, speaker) => {
	expect(addressedSpeaker(after('Analyst', text)).speaker).toBe(speaker);
});

it('says when a name is not one of the speakers', () => {
	expect(addressedSpeaker(after('Analyst', 'Well, @Bob?'))).toEqual({
		speaker: 'Senior Analyst',
		note: '"@Bob" is not one of the other speakers, so the next one in turn was asked.',
	});
});

it('the opening can address somebody', () => {
	expect(addressedSpeaker(begun({ opening: '@Lawyer, is it legal?' }, speakers)).speaker).toBe(
		'Lawyer',
	);
});

it.each([
	['Lawyer', { speaker: 'Lawyer' }],
	['  **Senior Analyst**.\n', { speaker: 'Senior Analyst' }],
	['the analyst', { speaker: 'Analyst' }],
	['The next speaker is Lawyer.', { speaker: 'Lawyer' }],
	['DONE', { isDone: true }],
	['DONE.', { isDone: true }],
])('the moderator answers "%s"', (answer, moderation) => {
	expect(readModeration(after('Analyst', 'a'), answer)).toEqual(moderation);
});

it.each([
	['Lawyer or Analyst', 'The moderator\'s answer was not clear ("Lawyer or Analyst")'],
	['abandoned', 'The moderator\'s answer was not clear ("abandoned")'],
	['', 'The moderator\'s answer was not clear ("")'],
	[undefined, 'The moderator could not be asked'],
])('the moderator answers %j, which is not clear', (answer, why) => {
	expect(readModeration(after('Analyst', 'a'), answer)).toEqual({
		speaker: 'Senior Analyst',
		note: `${why}, so the next speaker in turn was asked.`,
	});
});

it('of an answer of a moderator its first 10,000 characters count', () => {
	const blanks = ' '.repeat(10_000);
	const talk = after('Lawyer', 'a');
	expect(readModeration(talk, `${blanks.slice(7)}Analyst`)).toEqual({ speaker: 'Analyst' });
	expect(readModeration(talk, `${blanks}Lawyer`)).toMatchObject({ note: expect.any(String) });
	expect(readModeration(talk, `${blanks}DONE`)).toMatchObject({ speaker: 'Analyst' });
});

it('a moderator cannot end what has not begun', () => {
	expect(readModeration(begun({}, speakers), 'DONE')).toMatchObject({ speaker: 'Analyst' });
});

it('the moderator is told who can speak, what was said and what the user wants', () => {
	const prompt = toModeratorPrompt(after('Analyst', 'It is legal.'), 'Be quick.', {
		Lawyer: 'Knows the law',
	});
	expect(prompt).toContain('- Analyst\n- Senior Analyst\n- Lawyer: Knows the law');
	expect(prompt).toContain('Hello\n\nAnalyst: It is legal.');
	expect(prompt).toContain('Be quick.');
	expect(prompt).toContain('DONE');
	expect(toModeratorPrompt(begun({}, speakers), '', {})).not.toContain('DONE');
});
