import { findDates } from '../../src/summarizer/relative-dates.ts'
import { describeScore, readSentences, scoreDays } from './sentences.ts'

/** `node test/days/print.ts tuned.txt [--all]`: the figures, and with `--all` what is wrong and what is left open. */
const [file = 'tuned.txt', all] = process.argv.slice(2)
const score = scoreDays(readSentences(file), findDates)
console.log(`${file}: ${describeScore(score)}`)
if (all === '--all') {
  for (const line of score.wrong) console.log(`wrong       ${line}`)
  for (const line of score.unresolved) console.log(`unresolved  ${line}`)
}
