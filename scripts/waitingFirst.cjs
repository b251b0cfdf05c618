// The order of jest's test files: those that wait for minutes come first, so that the others run beside them. By itself jest goes
// by how long each took before, which a fresh clone does not know, and then by their size.
const { default: Sequencer } = require('@jest/test-sequencer');

const WAITING = [
	'long/trigger.test',
	'queue/spending.test',
	'queue/delivery.test',
	'long/triggerKills',
	'long/conversationSilence',
	'long/durableWaiting',
];

const placeOf = ({ path }) => {
	const place = WAITING.findIndex((name) => path.includes(name));
	return place < 0 ? WAITING.length : place;
};

module.exports = class WaitingFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((one, other) => placeOf(one) - placeOf(other));
	}
};
