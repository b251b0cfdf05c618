/** The part of the address that says what a job makes, as the specification writes it for the start. */
export const segments = ['images', 'videos', 'music', 'audio'] as const;
export type Segment = (typeof segments)[number];

/** The model kind that a segment serves. */
export function kindOf(segment: Segment): 'image' | 'video' | 'music' | 'audio' {
	return segment === 'images' ? 'image' : segment === 'videos' ? 'video' : segment;
}
