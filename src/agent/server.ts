import type { Decision } from '../core/decision';
import type { Condition, Path, Paths } from './dialect';
import type { Waiting } from './waiting';

/** What a request has in it. A text that is a placeholder becomes its value, and a field whose placeholder has none is left out. */
export type Template = string | number | boolean | null | readonly Template[] | TemplateFields;
interface TemplateFields {
	readonly [field: string]: Template;
}

/** What placeholders stand for: `{message}`, … and `{id}`, which is a new UUID. Of `{chat}|{session}`, the first that has a value counts. */
export interface Values {
	message?: string;
	/** Our ID of the conversation: a UUID, unless a person has chosen another one. */
	session?: string | undefined;
	/** Which agent of the server. */
	agent?: string | undefined;
	/** Which of the tenants of the address, as the card of the agent has it. */
	tenant?: string | undefined;
	/** The server's own ID of the conversation, from an earlier answer. */
	chat?: string | undefined;
	/** What waits for this message, from an earlier answer. */
	task?: string | undefined;
	/** A person's decision, by ID of what waits for it. */
	resume?: Readonly<Record<string, unknown>> | undefined;
	/** The same for a server that takes one entry for each. */
	decisions?: readonly unknown[] | undefined;
	/** All messages, the current one last, each as the row has it. */
	history?: readonly unknown[] | undefined;
}

/** One message of a conversation, as items have it. */
export interface Said {
	readonly role: 'user' | 'agent';
	readonly text: string;
	/** By it, a server knows a message that it has had before. */
	readonly id?: string;
}

export interface RequestForm {
	readonly method?: 'GET' | 'POST';
	/** Below the base URL. It may have `{session}`, which is encoded. */
	readonly path: string;
	readonly body?: Template;
}

/** A request whose answer is a list: where that is, and in each entry its ID. */
interface ListForm extends RequestForm {
	readonly list: Path;
	readonly id: Path;
}

/** A way to ask an agent. */
export interface Ask extends RequestForm {
	/** Those of the protocol. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
	/** It counts only where the card of the agent meets this, */
	readonly ifCard?: Condition;
	/** and is asked at the `url` that the card has here, which has to be one of the same origin; '' is the card itself. */
	readonly inCard?: Path;
}

/** What waits for the decision of a person, of a server that keeps it until it gets one. */
export interface Approvals {
	/** Asks for free what waits in a session. Its answer is a list of sessions, */
	readonly find: RequestForm;
	/** each with its ID here, */
	readonly session: Path;
	/** and what waits in it here, each with `id` and `value`. */
	readonly at: Path;
	/** Where events of an answer have the same. Of several paths to it, the first with an ID counts. */
	readonly askedAt: readonly Paths[];
	/** How a decision is sent. */
	readonly answer: Ask;
}

/** A kind of server of agents, and how it is asked. What it answers is recognized by its form alone: `DIALECTS`. */
export interface AgentServer {
	/** As its users call it. */
	readonly name: string;
	/** Stored in credentials. Never change it. */
	readonly value: string;
	/** What was run. */
	readonly source: string;
	/** What to enter as Base URL, for the docs. */
	readonly baseUrl: string;
	/** Where its documentation has the key, for the docs: a value of Key In. */
	readonly keyIn?: string;
	/** Where an agent describes itself, below the base URL. */
	readonly card?: string;
	/** The first that counts is used. */
	readonly asks: readonly Ask[];
	/** Where events of an answer have the server's own ID of the conversation. It replaces ours. */
	readonly chatAt?: readonly Path[];
	/** Our ID stands for a user, whose only conversation is found again: where the answer to this free request lists it, and its ID, the `{chat}`. */
	readonly finds?: ListForm;
	/** It remembers nothing, and takes all messages in `{history}`: how each looks. `{message}` is its text, and `{id}` its ID. */
	readonly history?: Readonly<Record<Said['role'], Template>> & {
		/** Where events have the ID of the agent's message. */
		readonly idAt: Path;
	};
	/** Where events have the state of a task, and its ID. By its last state, it waits for the next message, is over, or goes on. */
	readonly tasks?: {
		readonly waits: Partial<Readonly<Record<Waiting['kind'], readonly string[]>>>;
		readonly over: readonly string[];
		readonly at: ReadonlyArray<{ readonly state: Path; readonly id: Paths }>;
	};
	/** Where it tells what waits for a person, and how that is decided. */
	readonly approvals?: Approvals;
	/** How a decision is sent where the answer has told what waits: where events have that, each with an `id`, and an entry of `{decisions}` for each `{task}`. */
	readonly decides?: {
		/** Events with which nothing waits of what was before: another run, or all that one has asked. */
		readonly begins?: readonly Condition[];
		readonly askedAt: readonly Paths[];
		readonly each: Readonly<Record<Decision, Template>>;
	};
	/**
	 * Events that repeat what others say. They are read only where no other says anything: what a node of LangGraph adds that is none of
	 * LangChain's messages comes in no other mode (pregel/_messages.py).
	 */
	readonly repeats?: Condition;
	/** What it says where it refuses a message because it still answers another one of the session. It has then started nothing. */
	readonly busy?: string;
	/** An error that is all of an answer, where it says that the message was not taken: certainly nothing was started. */
	readonly refusal?: Condition;
	/**
	 * Set where a refusal by its status may come from what has run: with which codes, or by its status with which sentence, the server itself
	 * says that it has not taken the message. After any other refusal, it is not known what was started, and nothing is sent again.
	 */
	readonly notTaken?: {
		readonly codes?: readonly string[];
		readonly says?: Readonly<Record<number, RegExp>>;
	};
	/** Codes of errors, each with words in it, with which it says that it no longer has what was handed to it, and has started nothing. */
	readonly gone?: {
		/** The conversation: the message then begins a new one. */
		readonly chat?: Readonly<Record<string, string>>;
		/** The task that waited. */
		readonly task?: Readonly<Record<string, string>>;
	};
	/** How it lists its agents, one of which has to be chosen: where the answer has them, and in each its ID and its name. */
	readonly agents?: ListForm & { readonly label: Path };
	/** What the server says in place of an answer, and what only its own client can use: what that means. */
	readonly unreadable?: ReadonlyArray<{
		readonly if: Condition;
		readonly says: string;
		readonly advice: string;
	}>;
	/** A request that costs nothing. Unless it `provesKey`, it only shows that the address is there. Absent where none is known. */
	readonly probe?: RequestForm & { readonly provesKey?: true };
}
