/** A form of answers that a named product sends. */
export interface Dialect {
	/** As its users call it. */
	readonly name: string;
	/** The package and version that was run, or the address of a page that shows an example of the bytes. */
	readonly source: string;
	/**
	 * Where an event has its name: in a field, on the `line` of a server-sent event, or in its `onlyField`, whose value then is the
	 * event. The first that has one counts. Absent if events have no names.
	 */
	readonly by?: string | readonly string[];
	/** A name ends at this character, behind which a place in a graph follows: `messages|agent:1`. */
	readonly nameUntil?: string;
	/** It is recognized only in a stream of events whose content type is plain text, since other agents send such events, too. */
	readonly isPlain?: true;
	/** Events are the `result` of JSON-RPC responses, or come without that envelope. An `error` of the envelope is the agent's. */
	readonly inJsonRpc?: true;
	/**
	 * What only this dialect sends: names of events, which may end in `*`, and conditions. The first event that has or meets one decides for
	 * the whole answer. A name that anybody might use recognizes nothing.
	 */
	readonly knownBy: ReadonlyArray<string | Condition>;
	/** Several events may come in a list in this field. */
	readonly listIn?: string;
	/** A whole answer may have no text, but only what tools made. So no text is looked for where this dialect has none. */
	readonly mayHaveNoText?: true;
	/** What an event of a name is; '' is an event without one. Any other event is no text, no error and no end. */
	readonly events: Readonly<Record<string, Meaning | readonly Meaning[]>>;
}

/**
 * What holds for an event: for every path its value, or one of several. `'*'` is any value that is not empty, `null` none, and `String` a
 * text. The path `#` is the event's name.
 */
export type Condition = Readonly<Record<string, Expected>>;

type Expected = Scalar | readonly Scalar[] | null | StringConstructor;
type Scalar = string | number | boolean;

/**
 * Names of fields, separated by dots; '' is the event itself. `*` is every field. In a list, a name is that of a field of every entry, and a
 * number one entry. `[role=ai|model]` leaves the entries that have one of these values in the field, or not the field; `[role==ai]` those that have it.
 *
 * A text is a string, or a list of parts, of which those of type `text` count.
 */
export type Path = string;

/** One, or several, the first of which that leads to something counts. */
export type Paths = Path | readonly Path[];

/**
 * What an event means. Every meaning whose conditions hold counts, in their order. One meaning has one kind of text. Of several paths, the first
 * with a text counts.
 */
export interface Meaning {
	/** The meaning counts only where this holds, */
	readonly if?: Condition;
	/** and where none of this does. */
	readonly unless?: Condition;
	/** It counts only if this field has the value that it had in the event that opened the stream: that of the outermost run. */
	readonly ofOpening?: Path;
	/** New text. */
	readonly piece?: Paths;
	/** Where this holds, a piece may be the whole last message, which a node of a graph hands on as its own. */
	readonly copies?: Condition;
	/** Messages that have the same value here may come side by side. Those that begin later are kept until it changes. */
	readonly from?: Path;
	/** Where this holds, a piece may begin with all that its message has said so far, or else stands in its place. */
	readonly repeats?: Condition;
	/** A piece may also be new, or take back what it has said. It then adds nothing: the whole message follows. */
	readonly isDraft?: true;
	/**
	 * A whole message. It counts only where its pieces did not come. With `repeats`, it adds what they lack, and stands in their place if it
	 * does not begin with them.
	 */
	readonly whole?: Paths;
	/** The whole answer. It counts only where its run has said nothing before. */
	readonly all?: Paths;
	/** A message of its own, whatever came before: a question back. The agent waits for an approval, unless its `call` says otherwise. With its `each`, each entry has a question here. */
	readonly asks?: Paths;
	/** What stands in place of all that came before. That has been shown, and stays; a notice says so. */
	readonly replaces?: Path;
	/** What the message has said so far is taken back, and comes anew. It has been shown, and stays; a notice says so. */
	readonly forgets?: true;
	/** The text of a message so far: the same message again, and longer. */
	readonly grows?: Path;
	/** The whole conversation, each time again. Its end counts where no text was streamed, and what follows the last streamed message. */
	readonly state?: Path;
	/** Messages that were added to the conversation, each a whole one. */
	readonly added?: Path;
	/** Messages that count, each a whole one, where the answer has ended and nothing else was said. */
	readonly spare?: Path;
	/** ID of the message, where several come side by side. Texts of another ID are another message. */
	readonly id?: Paths;
	/** The ID is this path and the number of the event among those with it, as `[0,1]`; pieces repeat it in their `id`. */
	readonly numberedBelow?: Path;
	/**
	 * The message with this ID is someone else's, and none of its pieces count. So it is where the event has a role that is not the agent's.
	 * A text is not the agent's, either, where what it is in says so.
	 */
	readonly isOther?: Condition;
	/** With a value here, a tool was called, and the answer goes on after its result: what ends here is only the message. */
	readonly calls?: Path;
	/** Calls of tools. An agent that ends with one of them waits for it, and the reader says so. */
	readonly call?: Call;
	/** IDs of calls that have their results, or were refused. `'*'`: all that wait for a result; `'?'`: all questions. */
	readonly settles?: Paths;
	/**
	 * After this event, which begins a stream or a message, the dialect always sends an end. After an end, a `stream` is another run, which has
	 * an end of its own. Logs, thoughts and progress only begin a `message`: one that is late changes nothing.
	 */
	readonly opens?: 'stream' | 'message';
	/**
	 * What ends. A `message`: more has to follow. The `answer`: nothing has to follow. The `stream`: the run has ended, also without a text.
	 * None of them ends the body: it is read on until the service ends it, or has been silent for ten seconds, and what comes counts. A
	 * `step`: nothing has to follow, but more may, after any silence. So only the end of the body is waited for.
	 * Where a `piece` ends them, the next piece may be of the same message.
	 */
	readonly ends?: 'message' | 'step' | 'answer' | 'stream';
	/** Why a model has stopped is here: if it is a limit of tokens, what it has said is cut. */
	readonly stopped?: Paths;
	/** The agent has failed. The reason is here, or in the whole event. */
	readonly fails?: Paths;
}

/** Where an event has what is known of a call. Several events may tell of one call. */
export interface Call {
	/**
	 * What the agent waits for: approval, an answer, or what anybody may say (`input`); nothing, if somebody else runs the tool. Absent: for
	 * the result, if none has come at the end.
	 */
	readonly waitsFor?: 'approval' | 'answer' | 'input' | 'nothing';
	/** Each entry of this list is a call, and the other paths begin there. */
	readonly each?: Path;
	/** Absent where the event is about all calls that are open. */
	readonly id?: Paths;
	/** The ID of a call that an earlier event has told. */
	readonly about?: Path;
	readonly tool?: Paths;
	/** The arguments. Of several paths, the first with a value counts. */
	readonly input?: Paths;
	/** A piece of the arguments. */
	readonly adds?: Path;
	/** Why the agent asks, or what. */
	readonly reason?: Paths;
}

/** The beginning of a run. */
export const BEGIN: Meaning = { opens: 'stream' };

/** The end of a run. */
export const END: Meaning = { ends: 'stream' };

/** The whole event tells that the agent has failed. */
export const FAILURE: Meaning = { fails: '' };

/** It does so by a field. */
export const ERROR: Meaning = { if: { error: '*' }, fails: 'error' };
