/** Works on `count` items with `concurrency` workers. */
export async function workThrough(
	count: number,
	concurrency: number,
	work: (item: number) => Promise<void>,
) {
	let next = 0;
	const worker = async () => {
		for (let item = next++; item < count; item = next++) await work(item);
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
}
