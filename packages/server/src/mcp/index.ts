export type { McpAccess } from './access.ts'
export { type HandleOptions, handleMcp } from './handle-mcp.ts'
export { loadLibrary } from './load-library.ts'
export { type StdioOptions, serveMcpOverStdio } from './serve-stdio.ts'
