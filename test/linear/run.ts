import { parseArgs } from 'node:util'
import { FUNCTIONS } from './functions.ts'
import { describeGrowth, tooMuchGrowth } from './growth.ts'
import { allPatterns, SINGLES, seeded } from './patterns.ts'

/**
 * `node test/linear/run.ts [NAME]… [--minutes 60] [--seed 1] [--singles]`: every function with every pattern of one
 * piece, then with all of two in a random order, then with random ones of three, until the time is over. Ends with 1
 * where one of them grows too fast.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    singles: { type: 'boolean', default: false },
  },
})
const chosen = Object.entries(FUNCTIONS).filter(
  ([name]) => positionals.length === 0 || positionals.some(part => name.includes(part)),
)
const deadline = performance.now() + Number(values.minutes) * 60_000
const failed = new Map<string, number>()
let tried = 0
for (const pattern of allPatterns(seeded(Number(values.seed)))) {
  if (performance.now() > deadline || (values.singles && tried === SINGLES.length)) break
  tried += 1
  for (const [name, call] of chosen) {
    // One example of a function tells; a few more say what they have in common.
    if ((failed.get(name) ?? 0) >= 4) continue
    const growth = tooMuchGrowth(call, pattern, { maxLength: 131_072 })
    if (growth === null) continue
    failed.set(name, (failed.get(name) ?? 0) + 1)
    console.log(describeGrowth(name, growth))
  }
  if (tried % 100 === 0) console.error(`${tried} patterns, ${failed.size} functions that grow too fast`)
}
console.error(`${tried} patterns, ${chosen.length} functions, ${failed.size} of them grow too fast`)
process.exitCode = failed.size === 0 ? 0 : 1
