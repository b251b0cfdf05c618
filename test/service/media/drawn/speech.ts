import { encodeWav } from '../wav.ts';
import { chanceOf } from './chance.ts';
import { faded } from './melody.ts';

// looked up once: the global object of a test answers slowly
const { PI, abs, cos, exp, max, min, round, sin } = Math;

const RATE = 22_050;

/** The two resonances by which an ear knows a vowel, in hertz. */
const VOWELS: Record<string, readonly [number, number]> = {
	a: [750, 1250],
	e: [500, 1850],
	i: [320, 2250],
	o: [520, 920],
	u: [340, 800],
	y: [320, 1900],
};
const HISSING = /[sfzxhc]/;
const STOPS = /[ptkbdgqj]/;

/** One sound: a hum with two resonances, a hiss, or silence. */
interface Sound {
	seconds: number;
	hum: number;
	hiss: number;
	resonances: readonly [number, number];
}

/** Sounds shaped like speech, a sound a letter: nobody understands them, but everybody hears a voice. */
export function speech(text: string): Buffer {
	const sounds = [...text.toLowerCase().slice(0, 600)].map(soundOf);
	const seconds = max(
		1,
		sounds.reduce((sum, sound) => sum + sound.seconds, 0),
	);
	const samples = new Float64Array(round(seconds * RATE));
	const chance = chanceOf(`voice ${text}`);
	const voice = 105 + chance() * 80;
	const [low, high] = [createResonance(), createResonance()];
	let at = 0;
	let phase = 0;
	for (const [index, sound] of sounds.entries()) {
		const length = round(sound.seconds * RATE);
		for (let step = 0; step < length && at < samples.length; step++, at++) {
			// the pitch falls towards the end, as at the end of a sentence
			const pitch = voice * (1.15 - 0.3 * (index / sounds.length) + 0.04 * sin(at / 2900));
			phase = (phase + pitch / RATE) % 1;
			const shape = min(1, step / 250, (length - step) / 250);
			const source = sound.hum * (1 - 2 * phase) + sound.hiss * (chance() * 2 - 1);
			const [one, other] = sound.resonances;
			samples[at] = shape * (low(source, one, 90) + 0.6 * high(source, other, 130));
		}
	}
	return encodeWav(faded(loudest(samples), RATE), RATE, text);
}

function soundOf(letter: string): Sound {
	const vowel = VOWELS[letter];
	if (vowel) return { seconds: 0.11, hum: 1, hiss: 0.02, resonances: vowel };
	if (HISSING.test(letter)) return { seconds: 0.07, hum: 0, hiss: 0.35, resonances: [2600, 4200] };
	if (STOPS.test(letter)) return { seconds: 0.05, hum: 0.15, hiss: 0.12, resonances: [400, 1500] };
	if (/[.!?:;\n]/.test(letter)) return { ...SILENCE, seconds: 0.3 };
	if (letter === ',') return { ...SILENCE, seconds: 0.18 };
	if (/\p{L}|\d/u.test(letter))
		return { seconds: 0.07, hum: 0.6, hiss: 0.02, resonances: [300, 1300] };
	return SILENCE;
}

const SILENCE: Sound = { seconds: 0.05, hum: 0, hiss: 0, resonances: [500, 1500] };

/** Lets pass what is near a frequency: a filter of two poles. */
function createResonance() {
	let [last, beforeLast] = [0, 0];
	return (input: number, frequency: number, width: number): number => {
		const radius = exp((-PI * width) / RATE);
		const turn = 2 * radius * cos((2 * PI * frequency) / RATE);
		const output = (1 - radius) * input + turn * last - radius * radius * beforeLast;
		[last, beforeLast] = [output, last];
		return output;
	};
}

/** The same, as loud as it can be without breaking. */
function loudest(samples: Float64Array): Float64Array {
	const peak = samples.reduce((most, sample) => max(most, abs(sample)), 0);
	return peak ? samples.map((sample) => (sample / peak) * 0.8) : samples;
}
