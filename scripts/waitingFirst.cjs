// The order of jest's test files: those that wait for minutes come first, so that the others run beside them. By itself jest goes
// by how long each took before, which a fresh clone does not know, and then by their size. Those whose starts wait a minute for
// n8n, as users' do, come last: with everything else beside them, an n8n of two cores takes longer than that.
const sequencer = require('@jest/test-sequencer');

const WAITING = [
	'long/trigger.test',
	'queue/spending.test',
	'queue/delivery.test',
	'long/triggerKills',
	'long/conversationSilence',
	'long/durableWaiting',
];

const PATIENT = ['queue/restarts', 'long/ledger'];

/** @param {import('@jest/test-result').Test} test */
const placeOf = ({ path }) => {
	if (PATIENT.some((name) => path.includes(name))) return WAITING.length + 1;
	const place = WAITING.findIndex((name) => path.includes(name));
	return place < 0 ? WAITING.length : place;
};

module.exports = class WaitingFirst extends sequencer.default {
	/**
	 * @override
	 * @param {import('@jest/test-result').Test[]} tests
	 */
	async sort(tests) {
		const sorted = await super.sort(tests);
		return sorted.sort((one, other) => placeOf(one) - placeOf(other));
	}
};
