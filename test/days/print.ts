import { findDates } from '../../packages/palimpsest/src/summarizer/relative-dates.ts'
import { describeScore, readSentences, scoreDays } from './sentences.ts'

/**
 * `node test/days/print.ts tuned.txt [--all]`: the figures, by language and kind where the file tells kinds, and with
 * `--all` what is wrong and what is left open.
 */
const [file = 'tuned.txt', all] = process.argv.slice(2)
const sentences = readSentences(file)
const score = scoreDays(sentences, findDates)
console.log(`${file}: ${describeScore(score)}`)
const groups = Map.groupBy(
  sentences.filter(({ kind }) => kind !== null),
  ({ text, kind }) => `${/\p{Script=Han}/u.test(text) ? 'zh' : 'en'} ${kind}`,
)
for (const [name, group] of groups) console.log(`  ${name}: ${describeScore(scoreDays(group, findDates))}`)
if (all === '--all') {
  for (const line of score.wrong) console.log(`wrong       ${line}`)
  for (const line of score.unresolved) console.log(`unresolved  ${line}`)
}
