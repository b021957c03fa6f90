export { modelFailures } from './model-failures.ts'
export type { ModelError, ModelReply, ModelScript, ReplyToolCall, ReplyUsage } from './model-reply.ts'
export type {
  ModelProtocol,
  ModelRequest,
  ModelRequestBody,
  OfferedTool,
  SaidMessage,
  SaidToolCall,
} from './model-request.ts'
export { type ModelServer, startModelServer } from './model-server.ts'
export { type ScriptedModel, scriptedModel } from './scripted-model.ts'
export type { ContractCase, OpenStore } from './store-contract/contract-case.ts'
export { storeContract } from './store-contract.ts'
export { type TestClock, type TestTimer, testClock } from './test-clock.ts'
