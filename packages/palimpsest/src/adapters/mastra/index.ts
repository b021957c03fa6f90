export * from './palimpsest-processor.ts'
