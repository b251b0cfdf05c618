import { type GivenAnswer, putBackAnswers } from '../router/givenAnswers';
import type { ChatMessage } from '../router/messages';
import type { ThoughtRefusal } from '../router/thoughtRefusals';

/** A conversation, as one model is asked it. */
export interface Conversation {
	/** As an agent has written them. */
	messages: ChatMessage[];
	/** Finds an answer that is remembered, by the ID of one of its calls. */
	find(id: string): GivenAnswer | undefined;
	/** Whom it is for. */
	model: string;
	protocol: string;
	/** Whether the service is known to take no thoughts back from this model. */
	isPlain: boolean;
}

/** A form in which a conversation is sent. */
export interface Form {
	messages: ChatMessage[];
	/** What is known of the model if the service takes this form, and has refused the one before. */
	learned?: 'plain' | 'given';
	isToldInWords?: boolean;
}

/** No model: an answer has its text and its calls only. */
const NOBODY = { model: '', protocol: '' };

/** The answers are as the model gave them or, for a model that takes no thoughts back, without what it gave beside its calls. */
export function bestForm({ messages, find, isPlain, ...origin }: Conversation): Form {
	return { messages: putBackAnswers(messages, find, isPlain ? NOBODY : origin) };
}

/**
 * The form after one that was refused for thoughts. Answers that are not the model's own, or that nobody remembers, are then told in words;
 * or all of them, if its own are no longer valid.
 *
 * @param refused The form that was sent.
 * @returns undefined if there is no other one.
 */
export function formAfter(
	conversation: Conversation,
	refused: Form,
	about: ThoughtRefusal | undefined,
): Form | undefined {
	const form = about && FORMS[about]?.(conversation);
	return form && isOther(form.messages, refused.messages) ? form : undefined;
}

const FORMS: Partial<Record<ThoughtRefusal, (conversation: Conversation) => Form>> = {
	missing({ messages, find, isPlain, ...origin }) {
		const inWords = putBackAnswers(messages, find, origin, true);
		const isToldInWords = isOther(inWords, putBackAnswers(messages, find, origin));
		return { messages: inWords, isToldInWords, ...(isPlain && { learned: 'given' }) };
	},
	invalid: ({ messages }) => ({
		messages: putBackAnswers(messages, () => undefined, NOBODY, true),
		isToldInWords: true,
	}),
	unwanted: ({ messages, find }) => ({
		messages: putBackAnswers(messages, find, NOBODY),
		learned: 'plain',
	}),
};

const isOther = (form: ChatMessage[], than: ChatMessage[]) =>
	JSON.stringify(form) !== JSON.stringify(than);
