// What scan.mjs uses of n8n's scanner, which brings no types.
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	export const SOURCE_FILE_PATTERNS: string[];
	export function analyzePackage(
		folder: string,
		patterns: readonly string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}
