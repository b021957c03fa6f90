export type { ErasureProgress } from './erasure-engine.ts'
export { Erasures } from './erasures.ts'
export type { ErasureReceipt } from './receipt.ts'
