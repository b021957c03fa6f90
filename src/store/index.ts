export * from './document.ts'
export { InvalidExportError, parseSessionFile, type SessionFile } from './session-file.ts'
export * from './store.ts'
