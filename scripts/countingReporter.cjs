// Writes a run's counts to $AGENT_BRIDGE_COUNTS. jest's own --json fails when an error of a test holds a circle.
const { writeFileSync } = require('node:fs');

module.exports = class CountingReporter {
	onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
		writeFileSync(
			process.env.AGENT_BRIDGE_COUNTS,
			JSON.stringify({
				passed: numPassedTests,
				failed: numFailedTests + numRuntimeErrorTestSuites,
			}),
		);
	}
};
