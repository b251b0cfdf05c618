import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Clock ticks per second in /proc. It is 100 on every Linux that Node runs on. */
const ticks = 100;

/** CPU seconds that a process has used; undefined where there is no /proc. */
export function cpuOf(pid: number): number | undefined {
	const fields = fieldsOf(`/proc/${pid}/stat`);
	return fields && (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** CPU seconds that the processes have used which a process has started, as PostgreSQL does for each connection. */
export function cpuOfChildren(pid: number): number | undefined {
	const isChild = (other: string) => fieldsOf(`/proc/${other}/stat`)?.[1] === String(pid);
	const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(name));
	return children.reduce((sum, child) => sum + (cpuOf(Number(child)) ?? 0), 0);
}

/** What follows the name of a process, from its state on. */
const fieldsOf = (file: string) => read(file)?.split(') ').pop()?.split(' ');

/** CPU seconds that all processes of the machine have used. */
export function cpuOfMachine(): number | undefined {
	const line = read('/proc/stat')?.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number);
	if (!line) return undefined;
	const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = line;
	return (user + nice + system + irq + softIrq) / ticks;
}

/** Starts a new count of the most memory that a process has held. @returns MB it holds now */
export function startMemory(pid: number): number | undefined {
	try {
		// 5 resets the high-water mark
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
	} catch {
		return undefined;
	}
	return heldMemory(pid);
}

/** MB that a process holds. */
export const heldMemory = (pid: number): number | undefined => memory(pid, 'VmRSS');

/** MB that a process has held at most since `startMemory`. */
export const mostMemory = (pid: number): number | undefined => memory(pid, 'VmHWM');

function memory(pid: number, field: string) {
	const found = read(`/proc/${pid}/status`)?.match(new RegExp(`${field}:\\s+(\\d+)`))?.[1];
	return found === undefined ? undefined : Number(found) / 1024;
}

function read(file: string) {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		return undefined;
	}
}
