/*
 * Pauses behind the `await`s of the pack and of the reference service, which ../jitter/transformer.cjs puts there when
 * AGENT_BRIDGE_JITTER is set: whatever two sides do at once, now the one is faster and now the other. The lengths follow from
 * the seed, the path of the test file and the name of the test, so a single test meets the same pauses again. What the
 * operating system does between them is not ours to repeat: a failure may take a few runs with its seed.
 */
import { relative } from 'node:path';

import { numbersFrom } from '../numbersFrom';
import { hasPaused, isVirtual, pausing } from './quiet';

// those of Node, whatever a test puts in their place
const [later, soon] = [setTimeout, setImmediate];

interface Mood {
	/** How often there is a turn of the event loop, and how often a wait; else there is nothing. */
	turn: number;
	wait: number;
	/** Milliseconds. */
	longest: number;
	/** How many of all places in the code wait each time. */
	slowPlaces: number;
}

const MOODS: readonly Mood[] = [
	// nearly always at once, and now and then very late
	{ turn: 0.05, wait: 0.03, longest: 60, slowPlaces: 0 },
	// nearly always late, and now and then at once
	{ turn: 0.5, wait: 0.4, longest: 6, slowPlaces: 0 },
	// the same one or two steps of whatever is done are late each time, and nothing else is: this finds the most
	{ turn: 0, wait: 0, longest: 80, slowPlaces: 0.03 },
	{ turn: 0, wait: 0, longest: 80, slowPlaces: 0.06 },
];

/** How many pauses one test has at most, and milliseconds that they may last in all: a body in thousands of pieces has thousands. */
const MOST = { pauses: 500, milliseconds: 300 };

let [seed, random, mood, left] = [0, numbersFrom(0), MOODS[0]!, { ...MOST }];

function begin() {
	const { testPath = '', currentTestName = '' } = expect.getState();
	const place = relative(process.cwd(), testPath);
	// in a group the name begins with the file: alone it meets the same pauses
	const test = place.startsWith('test/groups/')
		? currentTestName.replace(' ', '\n')
		: `${place}\n${currentTestName}`;
	seed = hashOf(`${process.env['AGENT_BRIDGE_JITTER']}\n${test}`);
	random = numbersFrom(seed);
	mood = MOODS[Math.floor(random() * MOODS.length)]!;
	left = { ...MOST };
}

begin();
beforeEach(begin);

/** @returns milliseconds; 0 for a turn of the event loop, undefined for none. */
function nextPause(place: string) {
	if (!left.pauses) return undefined;
	const luck = random();
	const slow = mood.slowPlaces * (place.startsWith('timer') ? 5 : 1);
	const isSlow = slow > 0 && numbersFrom(hashOf(place) ^ seed)() < slow;
	if (!isSlow && luck >= mood.turn + mood.wait) return undefined;
	const length = mood.longest * (isSlow ? 0.5 + luck / 2 : random());
	left.pauses--;
	if (luck < mood.turn || isVirtual() || left.milliseconds < length) return 0;
	left.milliseconds -= length;
	return length;
}

async function delayed<Value>(value: Value, milliseconds: number): Promise<Awaited<Value>> {
	try {
		return await value;
	} finally {
		pausing();
		await new Promise<void>((resolve) => {
			if (milliseconds) later(resolve, milliseconds);
			else soon(resolve);
		});
		hasPaused();
	}
}

Object.assign(globalThis, {
	agentBridgePause<Value>(place: string, value: Value): Value | Promise<Awaited<Value>> {
		// a test that moves the time by hand counts on everything else to be done at once
		if (globalThis.setTimeout !== later) return value;
		const pause = nextPause(place);
		return pause === undefined ? value : delayed(value, pause);
	},
});

function hashOf(text: string) {
	let hash = 0x811c9dc5;
	for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
	return hash;
}
