// For tests on a time of their own, which goes on as soon as nobody has anything to do: somebody who pauses has (see pauses.ts).
let [underWay, virtual] = [0, false];

export const pausing = () => void underWay++;
export const hasPaused = () => void underWay--;

/** From now on a pause is a turn of the event loop, and takes no time. */
export const timeIsVirtual = () => void (virtual = true);
export const isVirtual = () => virtual;

/** Resolves once nobody pauses: at the next turn of the event loop where no pauses were asked for. */
export async function nobodyPauses() {
	do await new Promise((resolve) => setImmediate(resolve));
	while (underWay);
}
