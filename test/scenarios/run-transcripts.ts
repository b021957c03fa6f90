import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MessageInput, sqlite } from '../../packages/palimpsest/src/index.ts'
import { PRESET_NAMES, presetFromSettings } from '../../packages/palimpsest/src/policy/index.ts'
import { openTranscripts, type Transcript } from '../../packages/replay/src/index.ts'
import { checkTranscript } from './check-transcript.ts'

/**
 * `node test/scenarios/run-transcripts.ts FOLDER [BUDGET]`: each transcript below the folder through every
 * preset, with the extractive summariser. Prints a line for each, and what was wrong.
 */
const [folder = '.', budget = '8000'] = process.argv.slice(2)
const files = globSync(join(folder, '**/*.jsonl')).sort()
const temporary = mkdtempSync(join(tmpdir(), 'palimpsest-transcripts-'))
let failures = 0
for (const file of files) {
  const transcript = (await openTranscripts(file))[0]!
  for (const name of PRESET_NAMES) {
    const policy = presetFromSettings(name, { budget: Number(budget) })
    const store = sqlite(join(temporary, `${failures}.db`), { durability: 'normal' })
    const started = performance.now()
    const id = `${file} ${name}`
    const checked = await checkTranscript(inputs(transcript), {
      store,
      policy,
      budget: Number(budget),
      kind: transcript.kind,
      id,
    })
    const segments = await checked.session.segments()
    const han = share(segments.map(({ summary }) => summary).join(' '))
    await store.close()
    failures += checked.problems.length
    console.log(
      [
        file.slice(folder.length + 1).padEnd(34),
        transcript.kind.padEnd(8),
        name.padEnd(7),
        `${checked.messages} messages, ${checked.folds} folds, at most ${checked.mostTokens} tokens`,
        `${Math.round(han * 100)}% Han, ${Math.round(performance.now() - started)} ms`,
        checked.problems.length === 0 ? 'ok' : `${checked.problems.length} PROBLEMS`,
      ].join('  '),
    )
    for (const problem of checked.problems.slice(0, 5)) console.log(`    ${problem}`)
  }
}
rmSync(temporary, { recursive: true, force: true })
console.log(failures === 0 ? `All ${files.length} transcripts: ok` : `${failures} problems`)
process.exitCode = failures === 0 ? 0 : 1

async function* inputs(transcript: Transcript): AsyncGenerator<MessageInput> {
  for await (const { message } of transcript.read()) yield message as MessageInput
}

function share(text: string): number {
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.length === 0
    ? 0
    : letters.filter(letter => /\p{Script=Han}/u.test(letter)).length / letters.length
}
