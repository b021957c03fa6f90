export type { ContractCase, OpenStore } from './store-contract/contract-case.ts'
export { storeContract } from './store-contract.ts'
