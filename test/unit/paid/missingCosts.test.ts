import { findMissingCosts } from '../../../src/paid/payJob';
import { readJobRecord } from '../../../src/router/jobRecord';

const inner = { id: 'J', status: 'queued', estimated_cost: 5 };

it.each<[string, object, object]>([
	[
		'beside its record',
		{ job: { id: 'J' }, cost: 7, estimated_cost: 5 },
		{ cost: 7, estimated_cost: 5 },
	],
	['in it', { id: 'J', cost: 7, estimated_cost: 5 }, {}],
	// beside the request's own ID and status they would hide the job
	['in the record within', { id: 'R', status: 'completed', result: inner }, {}],
])('the costs of a job that stand %s', (_where, body, missing) => {
	expect(findMissingCosts(readJobRecord(body, 'images', {})!)).toEqual(missing);
});
