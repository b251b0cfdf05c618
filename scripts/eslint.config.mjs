import config from '../test/eslint.config.mjs';

// programs that people start: they tell what they do
export default [...config, { files: ['**/*.ts'], rules: { 'no-console': 'off' } }];
