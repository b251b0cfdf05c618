import { isFields } from '../call.ts';
import { sceneOf } from '../media/drawn/scene.ts';
import { readPng } from '../media/png.ts';
import { capitalized, listed } from './words.ts';

/** What is to be seen in the pictures of a message: those of the demo say it in their comment. */
export function pictureAnswer(content: unknown): string | undefined {
	if (!Array.isArray(content)) return undefined;
	const addresses = content.filter(isFields).flatMap(({ image_url: image }) => {
		const url = isFields(image) ? image.url : image;
		return typeof url === 'string' ? [url] : [];
	});
	return addresses.length ? addresses.map(described).join('\n') : undefined;
}

function described(address: string): string {
	const base64 = /^data:image\/png;base64,(.*)$/s.exec(address)?.[1];
	const found = base64 === undefined ? undefined : readPng(Buffer.from(base64, 'base64'));
	if (!found?.note) {
		return 'I was given a picture, but a scripted model knows only the pictures that the demo has drawn.';
	}
	const { subjects, ground, beach, weather, stars, isLow } = sceneOf(found.note);
	const things = [...subjects].map((subject) => SHOWN[subject]);
	const sky = stars ? 'a sky full of stars' : isLow ? 'a low sun' : SKY[weather];
	const land = beach ? 'a beach' : ground === 'sea' ? 'the sea' : 'green hills';
	return (
		`${capitalized(listed([...things, land]))} under ${sky}, drawn in flat colors. ` +
		`The picture has ${found.width} by ${found.height} pixels, and its caption says "${found.note}".`
	);
}

const SHOWN = {
	lighthouse: 'a lighthouse with red and white stripes on a rock',
	boat: 'a sailing boat',
	mountains: 'mountains with snow on them',
	trees: 'a few firs',
	house: 'a house with a red roof',
	city: 'a row of tall houses',
};

const SKY = {
	rain: 'gray clouds and rain',
	snow: 'gray clouds and falling snow',
	fog: 'thick fog',
	clouds: 'a sky with a few clouds',
	clear: 'a clear sky',
};
