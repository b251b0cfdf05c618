/** Matches the regular expressions of workflows with texts of models and services. */
export interface RegexEngine {
	/** @throws if it takes too long. */
	test(pattern: string, text: string, flags?: string): boolean;
	/** @throws if it takes too long. */
	replace(pattern: string, text: string, flags: string | undefined, replacement: string): string;
}
