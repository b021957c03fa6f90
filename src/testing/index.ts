export { modelFailures } from './model-failures.ts'
export {
  type ChatRequest,
  type ModelReply,
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from './model-server.ts'
export type { ContractCase, OpenStore } from './store-contract/contract-case.ts'
export { storeContract } from './store-contract.ts'
