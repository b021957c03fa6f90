export { parseMarkdown } from './parse-markdown.ts'
export type { Style, StyledText, StyleKind } from './styled-text.ts'
