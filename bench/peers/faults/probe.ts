/** One fault for one contestant, in a process of its own. Arguments: fault, contestant, folder, kills at writes. */
import './loopback-only.ts'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { chineseSearch } from './chinese-search.ts'
import type { Contestant, ContestantName, Finding, Grounds } from './contestant.ts'
import { loadContestant } from './contestants/index.ts'
import { failingSummariser, summaryModes } from './failing-summariser.ts'
import { killed } from './killed.ts'
import { appendedMeanwhile } from './meanwhile.ts'
import { startProvider } from './provider.ts'
import type { FaultName } from './rows.ts'
import { toolPairAtTheCut } from './tool-pair.ts'

const [fault, name, folder, steps] = process.argv.slice(2) as [FaultName, ContestantName, string, string]
process.on('disconnect', () => process.exit(1))

async function probe(contestant: Contestant): Promise<Finding[]> {
  const grounds = async (): Promise<Grounds> => ({
    folder: mkdtempSync(join(folder, `${name}-`)),
    provider: await startProvider(contestant),
    fault,
  })
  switch (fault) {
    case 'summariser': {
      const findings: Finding[] = []
      for (const mode of summaryModes)
        findings.push(await failingSummariser(contestant, await grounds(), mode))
      return findings
    }
    case 'killed':
      return killed(contestant, folder, Number(steps))
    case 'meanwhile':
      return [await appendedMeanwhile(contestant, await grounds())]
    case 'tools':
      return [await toolPairAtTheCut(contestant, grounds)]
    case 'chinese':
      return [await chineseSearch(contestant, await grounds())]
  }
}

const findings = await probe(await loadContestant(name))
// What goes on in the background of a peer is not waited for.
process.send!({ findings }, () => process.exit(0))
