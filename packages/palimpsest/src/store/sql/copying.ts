/** From one store to another; loaded by those who do that. */
export { listNamespaces, readCopyPage, readCopyState, readDocumentCopy } from './copy-read.ts'
export { importCopy, importDocumentCopy, noteVerified } from './copy-write.ts'
