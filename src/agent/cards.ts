import { readJson } from '../core/body';
import {
	invalidInputError,
	mapServiceError,
	ServiceError,
	type ServiceErrorDetails,
	shortenText,
} from '../core/errors';
import type { Http } from '../core/http';
import { MAX_BYTES, type Way } from './asking';
import { holds, textAt, valueAt } from './paths';
import type { AgentServer } from './server';

/**
 * Finds how an agent is asked; of a server with cards, by that of the agent.
 *
 * @param baseUrl Its address, as the credential has it.
 * @throws ServiceError; `invalid` if the card leads to another server, which would get the message without anybody's decision.
 */
export async function findWay(http: Http, server: AgentServer, baseUrl: string): Promise<Way> {
	const { asks, card } = server;
	const [only] = asks;
	if (!card && only) return { ask: only };
	return wayIn(await readCard(http, server), server, baseUrl);
}

/** The way that the card of an agent names. @throws ServiceError as `findWay`. */
export function wayIn(card: unknown, { asks, name }: AgentServer, baseUrl: string): Way {
	const { origin } = new URL(baseUrl);
	const ways = asks
		.filter(({ ifCard = {} }) => holds({ name: '', value: card }, ifCard))
		.flatMap((ask) =>
			[valueAt(card, ask.inCard ?? '')].flat().map((entry: unknown) => ({ ask, entry })),
		);
	// of several addresses, one at the server of the credential
	const way = ways.find(({ entry }) => urlOf(entry)?.origin === origin) ?? ways[0];
	if (!way)
		throw invalidInputError(
			`The card of the agent names no way of ${name} that this node can use`,
			`Nothing was sent. It has to offer JSON-RPC, in version 1.0 or 0.3. The card reads: ${shortenText(JSON.stringify(card), 500)}`,
		);
	const { ask, entry } = way;
	return { ask, cardPath: pathOf(origin, entry), tenant: textAt(entry, 'tenant') || undefined };
}

async function readCard(http: Http, server: AgentServer): Promise<unknown> {
	const { card = '' } = server;
	try {
		return await readJson(await http.send({ method: 'GET', path: card }), MAX_BYTES);
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			[404, 405].includes(error.details.status ?? 0) ? noCardError(server, error.details) : error,
		);
	}
}

export const noCardError = (
	{ card = '', name }: AgentServer,
	details: ServiceErrorDetails = {},
): ServiceError =>
	new ServiceError('invalid', 'There is no card of an agent at this address', {
		...details,
		advice: `Nothing was sent. ${name} needs a card: enter as Base URL what comes before ${card}.`,
	});

/** The address in a card is a stranger's: of it, only the path counts, at the server that the user has entered. @throws ServiceError `invalid`. */
function pathOf(origin: string, entry: unknown): string {
	const url = urlOf(entry);
	const hasUser = url && (url.username || url.password);
	if (url?.origin === origin && !hasUser) return url.pathname + url.search;
	const given = shortenText(JSON.stringify(valueAt(entry, 'url')) ?? '', 100);
	// of javascript: and the like, the origin is the text "null"
	const place = url && /^https?:$/.test(url.protocol) ? url.origin : given;
	const other = hasUser ? `${place} with a user name` : place;
	throw invalidInputError(
		`The card of the agent leads to ${other}, and the credential to ${origin}`,
		'Nothing was sent. If the agent is at the address in its card, enter that as Base URL. If the card is wrong, as behind a proxy or in a container, correct the address in the settings of the agent.',
	);
}

function urlOf(entry: unknown): URL | undefined {
	const given = valueAt(entry, 'url');
	return typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
}
