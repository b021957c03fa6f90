/** Copying from one store to another. Only programs that copy load it. */
export { listNamespaces, readCopyPage, readCopyState, readDocumentCopy } from './copy-read.ts'
export { importCopy, importDocumentCopy, noteVerified } from './copy-write.ts'
