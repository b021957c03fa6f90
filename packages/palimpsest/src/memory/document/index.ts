export { checkBody } from './body.ts'
export { clipDocument, MIN_CLIPPED_TOKENS } from './clip-document.ts'
export { inertLine } from './inert-line.ts'
export { datedLine, listLines, replaceLines, sayingOf, withLines, withoutLines } from './lines.ts'
export { normalizeMarkdown } from './normalize-markdown.ts'
export { condensedLine, linesToCondense } from './over-budget.ts'
export { checkSectionName } from './section-name.ts'
export { appendText, listSections, readSection, replaceSection, type Section } from './sections.ts'
export {
  ALL_HEADINGS,
  chatTemplate,
  findHeading,
  headings,
  scopeSection,
  scopeTemplate,
  sectionIn,
  userSection,
  userTemplate,
} from './template.ts'
