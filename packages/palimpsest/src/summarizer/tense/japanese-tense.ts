import type { Tells } from './tense.ts'

/** Endings of a clause that leave no doubt. */
const AHEAD = /(?:ましょう|予定|つもり|ます|ください|たい)(?:か|ね|よ|です)*$/
const PAST = /(?:ました|でした|ませんでした|だった|った)(?:か|ね|よ|です)*$/

export function tellJapanese(clause: string): Tells {
  const text = clause.trim()
  if (PAST.test(text)) return 'past'
  return AHEAD.test(text) ? 'ahead' : 'nothing'
}
