import type { FactRequest, FactSection } from './summarizer.ts'

/** The sections of a person's memory (`user`) and of a place's memory (`scope`). */
export const FACT_SECTIONS: Readonly<Record<FactRequest['layer'], readonly FactSection[]>> = {
  user: ['profile', 'preferences'],
  scope: ['history', 'plans', 'documents'],
}
