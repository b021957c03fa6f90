import { dayOf } from '../../packages/palimpsest/src/compaction/segment-lines.ts'
import { oneLine } from '../../packages/palimpsest/src/log/index.ts'
import { splitSentences } from '../../packages/palimpsest/src/summarizer/extractive/sentences.ts'
import { speakerIn, whoSpeaks } from '../../packages/palimpsest/src/summarizer/index.ts'
import type { Fold } from './fold.ts'

/** A sentence of a fold, with who said it on which day. */
export interface Sentence {
  readonly text: string
  readonly speaker: string
  readonly day: string
}

/** Split as the summariser splits them, so that no method has better sentences than another. */
export function sentencesOf({ messages }: Fold): Sentence[] {
  const who = whoSpeaks(messages)
  return messages.flatMap(message => {
    const said = { speaker: speakerIn(who, message), day: dayOf(message.at, 'UTC') }
    return message.content
      .split('\n')
      .flatMap(line => [...splitSentences(line)])
      .map(({ clauses }) => ({ ...said, text: oneLine(clauses.join('')) }))
      .filter(({ text }) => text !== '')
  })
}

/** In the form that our summaries have: one line for each stretch of one speaker, the day where it changes. */
export function renderSentences(sentences: readonly Sentence[]): string {
  let text = ''
  let last: Sentence | null = null
  for (const sentence of sentences) {
    const { speaker, day } = sentence
    const isNewDay = day !== last?.day
    if (!isNewDay && speaker === last?.speaker) text += ` ${sentence.text}`
    else text += `${last === null ? '' : '\n'}- ${isNewDay ? `${day} ` : ''}${speaker}: ${sentence.text}`
    last = sentence
  }
  return text
}
