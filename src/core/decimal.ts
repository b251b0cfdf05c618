/** Decimal numbers of any size. The package is bundled into this file only. */
export { default as Big } from 'big.js';
