import { bodyOf, listOf, type ChatRequest } from './chatRequest.ts';
import { bare, json, replyOf, type Reply } from './reply.ts';
import type { Refused, Row } from './row.ts';

/** The answer to a request that the service does not take; undefined where it takes it. */
export function refusalOf(row: Row, request: ChatRequest): Reply | undefined {
	const words = { model: request.model };
	return (
		unknownFields(row, request) ??
		(row.answering.includes(request.model)
			? undefined
			: replyOf(row.errors.unknownModel ?? bare(404), words)) ??
		fieldOfModel(row, request) ??
		emptyBalance(row, request) ??
		tooDear(row, request)
	);
}

function unknownFields(row: Row, { fields }: ChatRequest): Reply | undefined {
	const { strict } = row;
	if (!strict) return undefined;
	const [first, ...rest]: Refused[] = Object.entries(fields)
		.filter(([field]) => !strict.takes.includes(field))
		.map(([field, value]) => ({ field, value }));
	return first && json(strict.body([first, ...rest]), strict.status);
}

function fieldOfModel(row: Row, { fields, model }: ChatRequest): Reply | undefined {
	const refusal = row.refuses.find(
		({ field, models, above = -Infinity }) =>
			field in fields && models.includes(model) && !(Number(fields[field]) <= above),
	);
	return refusal && replyOf(refusal, { model, field: refusal.field });
}

/** `[[broke]]` asks for the newest form of the error, `[[broke-2]]` for the one before. */
function emptyBalance(row: Row, { directives, model }: ChatRequest): Reply | undefined {
	const { broke } = row.errors;
	if (directives.has('broke')) return replyOf(broke[0] ?? bare(402), { model });
	if (directives.has('broke-2')) return replyOf(broke[1] ?? bare(402), { model });
	return undefined;
}

/**
 * The refusal of a service that has no provider within the price of the request.
 *
 * Its providers ask what the catalog says, and twice that where the message has `[[dearer-only]]`.
 */
function tooDear(row: Row, request: ChatRequest): Reply | undefined {
	const { maxPrice } = row.errors;
	if (!maxPrice || !row.models) return undefined;
	const limit = bodyOf(bodyOf(request.fields['provider'])['max_price']);
	const entry = listOf(bodyOf(row.gets[row.models])['data'])
		.map(bodyOf)
		.find(({ id }) => id === request.model);
	const pricing = bodyOf(entry?.['pricing']);
	const times = request.directives.has('dearer-only') ? 2 : 1;
	const beyond = ['prompt', 'completion'].some((name) => {
		const asked = Number(pricing[name]) * 1e6 * times;
		// a price of some digits may have gone through floating point
		return name in limit && asked > Number(limit[name]) * (1 + 1e-9);
	});
	return beyond ? replyOf(maxPrice, { model: request.model }) : undefined;
}
