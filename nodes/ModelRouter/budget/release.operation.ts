import { invalidInputError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../access';
import { findByParam } from '../acrossResources.params';

/** Milliseconds. */
const HOUR = 3_600_000;

export const release = operation({
	name: 'Release',
	value: 'release',
	action: 'Release reservations of budget',
	description:
		'Release what killed processes have reserved, if the credential has Workflows May Resume',
	params: [
		findByParam('reservationId', [
			{ name: 'Age', value: 'age' },
			{ name: 'Reservation ID', value: 'reservationId' },
		]),
		{
			displayName: 'Reservation ID',
			name: 'reservationId',
			type: 'string',
			displayOptions: { show: { findBy: ['reservationId'] } },
			default: '={{ $json.reservationId }}',
			required: true,
			placeholder: 'e.g. run:3f2a…',
			description: 'From "reservations" of Get',
		},
		{
			displayName: 'Older Than (Hours)',
			name: 'hours',
			type: 'number',
			typeOptions: { minValue: 0 },
			displayOptions: { show: { findBy: ['age'] } },
			default: 24,
			required: true,
			description: 'More than your longest run and job take',
		},
	],

	prepare({ findBy, reservationId, hours }) {
		if (findBy === 'age') return { age: hours * HOUR };
		const id = reservationId.trim();
		if (id) return { id };
		throw invalidInputError('Reservation ID is empty', 'Get of the resource Budget lists the IDs.');
	},

	run: async (context) => ({
		json: await requireBudget(context).actions.release(context.request),
	}),
});
