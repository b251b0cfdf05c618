export const picturesFolder = 'docs/pictures';

/** The file in `picturesFolder` of the picture with this name, which the browser's tests take. */
export const pictureFile = (name: string) =>
	`${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.png`;
