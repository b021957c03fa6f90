export { fileOf } from './file-names.ts'
export { type SyncResult, Workspace } from './workspace.ts'
