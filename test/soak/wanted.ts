import { chanceOf } from './chance';

/** One job to be made. */
export interface Wanted {
	key: string;
	mediaType: string;
	model: string;
	prompt: string;
}

const MODELS: Array<[mediaType: string, model: string]> = [
	['images', 'canvas/sketch-1'],
	['videos', 'reel/clip-3'],
	['music', 'tune/melody-1'],
	['audio', 'voice/speaker-1'],
];

/** Finds the key of a job in its prompt. */
export const keyIn = (text: string): string => /soak-\d+/.exec(text)?.[0] ?? '';

/** Most files are small, some have half a megabyte; a few jobs fail at the service. */
export function wantedOf(seed: number, number: number): Wanted {
	const key = `soak-${number}`;
	const [mediaType, model] = MODELS[number % MODELS.length]!;
	const chance = chanceOf(seed, 'job', key);
	const directive = chance < 0.03 ? ' [[fail]]' : chance < 0.15 ? ' [[size:500000]]' : '';
	return { key, mediaType, model, prompt: `${key} of the soak${directive}` };
}
