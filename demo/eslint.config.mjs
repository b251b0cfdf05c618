import config from '../scripts/eslint.config.mjs';

export default config;
