// Writes a run's counts to $AGENT_BRIDGE_COUNTS. jest's own --json fails when an error of a test holds a circle.
const { writeFileSync } = require('node:fs');

module.exports = class CountingReporter {
	onRunComplete(_contexts, results) {
		const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = results;
		writeFileSync(
			process.env.AGENT_BRIDGE_COUNTS,
			JSON.stringify({
				passed: numPassedTests,
				failed: numFailedTests + numRuntimeErrorTestSuites,
				groups: countGroups(testResults.flatMap((file) => file.testResults)),
			}),
		);
	}
};

/** Counts by the outermost `describe`. */
function countGroups(tests) {
	const groups = {};
	for (const { ancestorTitles, status } of tests) {
		const group = (groups[ancestorTitles[0] ?? ''] ??= { passed: 0, failed: 0 });
		if (status === 'passed' || status === 'failed') group[status]++;
	}
	return groups;
}
