import type { FactRequest, FactSection } from './summarizer.ts'

/** What the memory of a person, or of a place, is divided into. */
export const FACT_SECTIONS: Readonly<Record<FactRequest['layer'], readonly FactSection[]>> = {
  user: ['profile', 'preferences'],
  scope: ['history', 'plans', 'documents'],
}
