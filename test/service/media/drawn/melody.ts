import { encodeWav } from '../wav.ts';
import { chanceOf } from './chance.ts';

// looked up once: the global object of a test answers slowly
const { PI, exp, floor, max, min, round, sin } = Math;

const RATE = 22_050;
/** Half tones above the first note. */
const MAJOR = [0, 2, 4, 7, 9, 12, 14, 16];
const MINOR = [0, 3, 5, 7, 10, 12, 15, 17];
/** What the bass plays in each of four bars, as half tones. */
const BASS = [0, -3, -7, -5];
const FIRST = 261.63;

/** A small melody of plucked notes over a bass, as WAV: the same for the same prompt. */
export function melody(prompt: string, seconds: number): Buffer {
	const chance = chanceOf(`melody ${prompt}`);
	const scale = /\b(sad|dark|night|calm|rain\w*|melanchol\w*)\b/i.test(prompt) ? MINOR : MAJOR;
	const beat = /\b(fast|quick|upbeat|happy|dance)\b/i.test(prompt) ? 0.25 : 0.375;
	const samples = new Float64Array(round(seconds * RATE));
	let place = 2 + floor(chance() * 3);
	for (let note = 0; note * beat < seconds; note++) {
		const start = note * beat;
		if (note % 8 === 0) pluck(samples, start, pitchOf((BASS[(note / 8) % 4] ?? 0) - 12), 0.22, 1.1);
		// a step up or down, now and then a pause, and home in the end
		place = max(0, min(scale.length - 1, place + floor(chance() * 5) - 2));
		const isLast = (note + 2) * beat >= seconds;
		if (isLast) place = 0;
		if (isLast || chance() > 0.15) pluck(samples, start, pitchOf(scale[place] ?? 0), 0.3, 3);
	}
	return encodeWav(faded(samples, RATE), RATE, prompt);
}

const pitchOf = (halfTones: number) => FIRST * 2 ** (halfTones / 12);

/** Adds a note with three overtones that dies away; `decay` is how fast. */
function pluck(samples: Float64Array, start: number, pitch: number, loud: number, decay: number) {
	const from = round(start * RATE);
	const length = min(samples.length - from, round((RATE * 4) / decay));
	for (let at = 0; at < length; at++) {
		const time = at / RATE;
		const angle = 2 * PI * pitch * time;
		const tone = sin(angle) + 0.4 * sin(2 * angle) + 0.15 * sin(3 * angle);
		const attack = min(1, time / 0.006);
		samples[from + at] = (samples[from + at] ?? 0) + loud * attack * exp(-decay * time) * tone;
	}
}

/** The last fifth of a second dies away, so that the end is no click. */
export function faded(samples: Float64Array, rate: number): Float64Array {
	const length = floor(min(samples.length, rate / 5));
	for (let left = 0; left < length; left++) {
		const at = samples.length - 1 - left;
		samples[at] = (samples[at] ?? 0) * (left / length);
	}
	return samples;
}
