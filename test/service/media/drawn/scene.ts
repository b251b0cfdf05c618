import type { Color } from './canvas.ts';

/** What a prompt asks for, as far as it can be drawn. */
export interface Scene {
	prompt: string;
	colors: Colors;
	/** Whether the sun or the moon is low, above the horizon. */
	isLow: boolean;
	weather: 'rain' | 'snow' | 'fog' | 'clouds' | 'clear';
	stars: boolean;
	ground: 'sea' | 'hills';
	beach: boolean;
	subjects: Set<Subject>;
	/** Whether the paper is to be seen, as under watercolor. */
	paper: boolean;
}

export interface Colors {
	skyTop: Color;
	skyLow: Color;
	light: Color;
	groundTop: Color;
	groundLow: Color;
	land: Color;
}

const SUBJECTS = {
	lighthouse: /lighthouse/i,
	boat: /\b(boats?|ships?|sail\w*|yachts?)\b/i,
	mountains: /\b(mountains?|alps|peaks?|volcano\w*)\b/i,
	trees: /\b(trees?|forests?|woods?|pines?)\b/i,
	house: /\b(houses?|homes?|huts?|cabins?|villages?)\b/i,
	city: /\b(city|cities|skyline|town|streets?|skyscrapers?)\b/i,
};
export type Subject = keyof typeof SUBJECTS;

const SEA = /\b(sea|seas|ocean|waves?|beach|beaches|coast|harbou?r|lake|shore|island)\b/i;

/** Reads a prompt for the words that change the picture. */
export function sceneOf(prompt: string): Scene {
	const subjects = new Set(
		(Object.keys(SUBJECTS) as Subject[]).filter((subject) => SUBJECTS[subject].test(prompt)),
	);
	const weather = weatherOf(prompt);
	const stars = /\b(stars?|starry)\b/i.test(prompt);
	const isNight = stars || /\b(night|moon\w*|midnight)\b/i.test(prompt);
	const isLow = !isNight && /\b(dawn|sunrise|morning|sunset|dusk|evening)\b/i.test(prompt);
	const beach = /\b(beach|beaches|sand|shore|coast)\b/i.test(prompt);
	const isSea = SEA.test(prompt) || subjects.has('lighthouse') || subjects.has('boat');
	const light = isNight ? 'night' : isLow ? 'dawn' : GRAY.has(weather) ? 'gray' : 'day';
	const ground = isSea ? 'sea' : 'hills';
	return {
		prompt,
		colors: { ...SKIES[light], ...GROUNDS[ground][light] },
		isLow,
		weather,
		stars,
		ground,
		beach,
		subjects,
		paper: /\b(watercolou?r|paint\w*|oil|sketch|drawing|paper)\b/i.test(prompt),
	};
}

const GRAY = new Set<Scene['weather']>(['rain', 'snow', 'fog']);

function weatherOf(prompt: string): Scene['weather'] {
	if (/\b(rain\w*|storm\w*)\b/i.test(prompt)) return 'rain';
	if (/\b(snow\w*|winter|blizzard)\b/i.test(prompt)) return 'snow';
	if (/\b(fog\w*|mist\w*|haze)\b/i.test(prompt)) return 'fog';
	return /\b(clear|cloudless)\b/i.test(prompt) ? 'clear' : 'clouds';
}

const SKIES = {
	dawn: { skyTop: [58, 76, 128], skyLow: [250, 176, 120], light: [255, 226, 160] },
	day: { skyTop: [64, 132, 206], skyLow: [196, 226, 244], light: [255, 246, 206] },
	night: { skyTop: [14, 18, 44], skyLow: [44, 54, 96], light: [226, 230, 244] },
	gray: { skyTop: [112, 124, 138], skyLow: [188, 196, 202], light: [226, 228, 228] },
} as const satisfies Record<string, Partial<Colors>>;

const GROUNDS = {
	sea: {
		dawn: { groundTop: [206, 140, 112], groundLow: [40, 62, 104], land: [52, 46, 56] },
		day: { groundTop: [92, 164, 202], groundLow: [22, 82, 132], land: [70, 92, 62] },
		night: { groundTop: [36, 46, 84], groundLow: [16, 20, 42], land: [22, 24, 34] },
		gray: { groundTop: [140, 154, 162], groundLow: [66, 84, 98], land: [66, 74, 72] },
	},
	hills: {
		dawn: { groundTop: [148, 116, 92], groundLow: [62, 66, 52], land: [52, 54, 44] },
		day: { groundTop: [142, 178, 104], groundLow: [66, 116, 62], land: [58, 98, 56] },
		night: { groundTop: [40, 52, 58], groundLow: [22, 30, 32], land: [26, 34, 36] },
		gray: { groundTop: [138, 148, 136], groundLow: [84, 98, 88], land: [76, 88, 80] },
	},
} as const satisfies Record<string, Record<string, Partial<Colors>>>;
