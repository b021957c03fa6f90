export { parseMarkdown } from './parse-markdown.ts'
export type { Style, StyleKind } from './styled-text.ts'
