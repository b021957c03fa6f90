export { type MemoryMiddlewareOptions, memoryMiddleware } from './memory-middleware.ts'
export { appendUIMessage, toUIMessages } from './ui-messages.ts'
