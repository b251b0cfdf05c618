import { directivesOf } from '../directives.ts';
import { adviser, isAdvice } from './adviser.ts';
import { analyst, isAnalysis } from './analyst.ts';
import { editor, isEditing } from './editor.ts';
import { knownAnswer } from './knowledge.ts';
import { isRelease, isTester, planner, tester } from './release.ts';
import { remembering } from './remembering.ts';
import { isSupport, support } from './support.ts';
import { isWriting, writer } from './writer.ts';

interface Persona {
	fits(said: readonly string[], workspace: string): boolean;
	answer(said: readonly string[], workspace: string): string;
}

/** The first that fits answers. */
const PERSONAS: Persona[] = [
	{ fits: isAnalysis, answer: analyst },
	{ fits: isEditing, answer: editor },
	{ fits: isWriting, answer: writer },
	{ fits: (said, workspace) => isRelease(said) && isTester(said, workspace), answer: tester },
	{ fits: isRelease, answer: planner },
	{ fits: isAdvice, answer: adviser },
	{ fits: isSupport, answer: support },
	{
		fits: () => true,
		answer: (said) => knownAnswer(said.at(-1) ?? '') ?? remembering(said, 'agent'),
	},
];

/**
 * What an agent of the demo answers.
 *
 * @param said All messages of the session, the one to be answered at the end.
 * @returns undefined for a message with a directive, which is answered as it says
 */
export function agentAnswer(workspace: string, said: readonly string[]): string | undefined {
	if (directivesOf(said.at(-1) ?? '').size) return undefined;
	return PERSONAS.find(({ fits }) => fits(said, workspace))?.answer(said, workspace);
}
