import { encodeWav } from '../wav.ts';
import { chanceOf } from './chance.ts';

const RATE = 44_100;
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
	const samples = new Float64Array(Math.round(seconds * RATE));
	let place = 2 + Math.floor(chance() * 3);
	for (let note = 0; note * beat < seconds; note++) {
		const start = note * beat;
		if (note % 8 === 0) pluck(samples, start, pitchOf((BASS[(note / 8) % 4] ?? 0) - 12), 0.22, 1.1);
		// a step up or down, now and then a pause, and home in the end
		place = Math.max(0, Math.min(scale.length - 1, place + Math.floor(chance() * 5) - 2));
		const isLast = (note + 2) * beat >= seconds;
		if (isLast) place = 0;
		if (isLast || chance() > 0.15) pluck(samples, start, pitchOf(scale[place] ?? 0), 0.3, 3);
	}
	return encodeWav(faded(samples, RATE), RATE, prompt);
}

const pitchOf = (halfTones: number) => FIRST * 2 ** (halfTones / 12);

/** Adds a note with three overtones that dies away; `decay` is how fast. */
function pluck(samples: Float64Array, start: number, pitch: number, loud: number, decay: number) {
	const from = Math.round(start * RATE);
	const length = Math.min(samples.length - from, Math.round((RATE * 4) / decay));
	for (let at = 0; at < length; at++) {
		const time = at / RATE;
		const angle = 2 * Math.PI * pitch * time;
		const tone = Math.sin(angle) + 0.4 * Math.sin(2 * angle) + 0.15 * Math.sin(3 * angle);
		const attack = Math.min(1, time / 0.006);
		samples[from + at] = (samples[from + at] ?? 0) + loud * attack * Math.exp(-decay * time) * tone;
	}
}

/** The last fifth of a second dies away, so that the end is no click. */
export function faded(samples: Float64Array, rate: number): Float64Array {
	const length = Math.min(samples.length, rate / 5);
	return samples.map((sample, at) => sample * Math.min(1, (samples.length - at) / length));
}
