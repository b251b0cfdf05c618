import { cut, explained, ServiceError, withDetails } from '../service/errors';
import { readReportedError, requestIdOf } from '../service/refusals';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { readRefusal } from '../service/readBody';
import { withOutcome } from '../service/outcome';
import { pathSegment } from '../service/pathSegment';
import { readAnswer, type AnswerForm } from './answerForms';

export interface AgentMessage {
	/** One conversation. An unused UUID starts a new one, a used one continues it. */
	sessionId: string;
	/** What the agent is told. */
	content: string;
}

export interface AgentAnswer {
	text: string;
	/** The form in which the answer came; the specification does not show it. */
	format: AnswerForm;
	/** Everything that arrived, as it came; kept when asked for, and where no text was found in it. */
	events: unknown[];
	requestId?: string;
}

/** What had come of an answer when it stopped before its end. */
export type ArrivedAnswer = Pick<AgentAnswer, 'text' | 'format'> & Partial<AgentAnswer>;

export interface Listening {
	/** Called with every piece of text as it arrives, and awaited. */
	onText?: (text: string) => void | Promise<void>;
	/** Keeps every event. Without it, only the first ones of an answer in which no text is found. */
	keepEvents?: boolean;
	/** Where the text of an event is, e.g. `data.reply`. Unset, all usual places are looked at. */
	textField?: string | undefined;
}

/** Characters from which a piece that equals all pieces before it is no coincidence. */
const SHORTEST_WHOLE = 12;

/** Events kept of an answer without any text, so that the user can see what came instead. */
const MAX_KEPT = 50;

/**
 * Sends a message into a session and reads the streamed answer, whatever its form.
 *
 * An answer is complete when its end mark came, or, where its form has none, when the HTTP body ended as it should.
 *
 * @throws ServiceError with an outcome; `cut` when the connection broke or the agent reported an error (what arrived is in
 *   `details.partial`).
 * @see POST {agent_base_url}/session/{session_id}/messages
 */
export async function sendMessage(
	http: Http,
	{ sessionId, content }: AgentMessage,
	listening: Listening = {},
): Promise<AgentAnswer> {
	const path = `/session/${pathSegment(sessionId, 'Session ID')}/messages`;
	const accept = 'text/event-stream, application/x-ndjson, application/json, text/plain';
	try {
		const response = await http.send({ method: 'POST', path, body: { content }, accept });
		if (isRefusal(response)) throw await readRefusal(response);
		return await collect(response, listening);
	} catch (cause) {
		throw explained(cause, (error) =>
			withOutcome(withDetails(error, { ids: { sessionId } }), 'message'),
		);
	}
}

async function collect(
	response: HttpResponse,
	{ onText = () => {}, keepEvents = false, textField }: Listening,
): Promise<AgentAnswer> {
	const answer: AgentAnswer = {
		text: '',
		format: 'text',
		events: [],
		...requestIdOf(response.headers),
	};
	const partial = (): ArrivedAnswer => ({
		text: answer.text,
		format: answer.format,
		...(keepEvents && { events: answer.events }),
	});
	let [ended, pieces] = [false, 0];
	try {
		for await (const { form, raw, text, summary, error, end } of readAnswer(response, textField)) {
			answer.format = form;
			if (keepEvents || (!answer.text && answer.events.length < MAX_KEPT)) answer.events.push(raw);
			if (error !== undefined) {
				const { reason = 'The agent reported an error without a reason.', ...more } =
					readReportedError(error);
				throw withDetails(cut(reason, partial()), more);
			}
			// some say the whole once more at the end, in an event that looks like any other
			const again = pieces > 1 && text === answer.text && text.length >= SHORTEST_WHOLE;
			const piece = again ? '' : (text ?? (answer.text ? '' : (summary ?? '')));
			if (piece) pieces++;
			if (piece) await onText(piece);
			answer.text += piece;
			ended ||= end !== undefined;
			if (end === 'stream') break;
		}
	} catch (cause) {
		// what breaks after the end mark takes nothing away
		const whole =
			ended && cause instanceof ServiceError && cause.kind === 'cut' && !cause.details.code;
		const arrived = { partial: partial(), ...requestIdOf(response.headers) };
		if (!whole)
			throw explained(cause, (error) =>
				error.kind === 'garbled' ? error : withDetails(error, arrived),
			);
	}
	return answer;
}
