import type { Comparison, Run, Sweep } from '../comparison.ts'
import {
  formatCount,
  formatDifference,
  formatFactor,
  formatList,
  formatMoney,
  formatShare,
  formatTokens,
} from './format.ts'
import { isCheaper, isSameMoney } from './same-money.ts'
import { pointLabel } from './sweep-points.ts'

/** With fewer requests an average says little. */
const MIN_REQUESTS = 20
/** A list with more names is too long to be read. */
const MAX_NAMES = 5

/** The answer in one sentence, then what the reader must know beside it. Names stand between backticks. */
export interface Answer {
  readonly headline: string
  readonly details: readonly string[]
}

export function describeResult({ transcripts, prices, runs, sweep }: Comparison): Answer {
  const messages = transcripts.reduce((sum, transcript) => sum + transcript.messages, 0)
  if (runs.length === 0) return { headline: 'Nothing was replayed.', details: [] }
  if (messages === 0)
    return { headline: 'There are no messages: nothing would have cost anything.', details: [] }
  const policies = byCost(runs.filter(run => run.kind === 'policy'))
  const [best] = policies
  if (!best) return describeBaselines(runs, prices.currency)
  if (runs.every(run => run.cost.calls.reply.calls === 0))
    return { headline: 'No reply was asked for, so nothing would have cost anything.', details: [] }
  if (runs.every(run => run.cost.total === 0)) return describeFree(policies)

  const money = (run: Run) => formatMoney(run.cost.total, prices.currency)
  const reference = referenceRun(runs)
  const compared = reference ? `, ${compare(best, reference)}` : ''
  const headline =
    policies.length === 1 || areEqual(policies)
      ? `${policies.length === 1 ? `\`${best.name}\`` : 'Each policy'} would have cost ${money(best)}${compared}.`
      : `\`${best.name}\` would have been cheapest: ${money(best)}${compared}.`
  return {
    headline,
    details: [
      describeThousand(best, prices.currency),
      describeNext(policies, money),
      describeDearer(runs, policies),
      describeCheaperPoint(sweep, best, prices.currency),
      ...describeCheaperBaselines(runs, best, money),
    ].filter(detail => detail !== null),
  }
}

function byCost(runs: readonly Run[]): Run[] {
  return [...runs].sort((a, b) => a.cost.total - b.cost.total)
}

/** The runs must be in order of cost. */
function areEqual(runs: readonly Run[]): boolean {
  return isSameMoney(runs[0]!.cost.total, runs.at(-1)!.cost.total)
}

function nameList(runs: readonly Run[]): string {
  return formatList(runs.map(run => `\`${run.name}\``))
}

/** Any reader can picture a bot that sends everything. */
function referenceRun(runs: readonly Run[]): Run | undefined {
  const baselines = runs.filter(run => run.kind === 'baseline')
  return baselines.find(isSendingAll) ?? baselines[0]
}

function isSendingAll({ kind, name }: Run): boolean {
  return kind === 'baseline' && name === 'no memory'
}

function compare(run: Run, reference: Run): string {
  const other = isSendingAll(reference) ? 'sending everything' : `\`${reference.name}\``
  const ratio = reference.cost.total > 0 ? run.cost.total / reference.cost.total : 1
  if (isSameMoney(ratio, 1)) return `as much as ${other}`
  if (ratio < 1) return `${formatShare(1 - ratio)} less than ${other}`
  return ratio < 2
    ? `${formatShare(ratio - 1)} more than ${other}`
    : `${formatFactor(ratio)} times as much as ${other}`
}

/** An amount that the reader can compare with a bill. */
function describeThousand({ cost }: Run, currency: string): string | null {
  const { calls } = cost.calls.reply
  if (calls < MIN_REQUESTS) return null
  return `That is ${formatMoney((cost.total / calls) * 1_000, currency)} for 1,000 replies.`
}

function describeNext(policies: readonly Run[], money: (run: Run) => string): string | null {
  const [best, next] = policies
  if (!best || !next || areEqual(policies)) return null
  const equals = policies.slice(1).filter(run => isSameMoney(run.cost.total, best.cost.total))
  if (equals.length > 0) return `${nameList(equals)} ${equals.length === 1 ? 'costs' : 'cost'} the same.`
  const difference = formatDifference(next.cost.total, best.cost.total)
  return `Next comes \`${next.name}\` with ${money(next)}${difference ? ` (${difference})` : ''}.`
}

/**
 * Names the policies that cost more than sending everything. Where all of them do, the headline already says
 * so.
 */
function describeDearer(runs: readonly Run[], policies: readonly Run[]): string | null {
  const everything = runs.find(isSendingAll)
  if (!everything) return null
  const least = policies[0]!.cost.total
  if (isCheaper(everything.cost.total, least)) return null
  const limit = Math.max(least, everything.cost.total)
  const dearer = policies.filter(run => isCheaper(limit, run.cost.total))
  if (dearer.length === 0) return null
  const which =
    dearer.length <= MAX_NAMES
      ? nameList(dearer)
      : `${formatCount(dearer.length)} of the ${formatCount(policies.length)} policies`
  return `${which} would have cost more than sending everything.`
}

function describeCheaperPoint(sweep: Sweep | null, best: Run, currency: string): string | null {
  if (sweep === null || !isCheaper(sweep.best.money, best.cost.total)) return null
  const name = `${sweep.policy} ${pointLabel(sweep, sweep.best)}`
  return `Of the values that were tried, \`${name}\` comes lower still: ${formatMoney(sweep.best.money, currency)}.`
}

function describeCheaperBaselines(runs: readonly Run[], best: Run, money: (run: Run) => string): string[] {
  const cheaper = byCost(runs).filter(
    run => run.kind === 'baseline' && isCheaper(run.cost.total, best.cost.total),
  )
  const everything = cheaper.find(isSendingAll)
  const forgetful = cheaper.find(run => !isSendingAll(run))
  const sentences: string[] = []
  if (everything)
    sentences.push(
      `Without a memory it would have been ${money(everything)}: a conversation of this size does not need one for its costs.`,
    )
  if (forgetful) {
    const isLowest = !everything || isCheaper(forgetful.cost.total, everything.cost.total)
    sentences.push(
      `The baseline \`${forgetful.name}\` costs less ${isLowest ? 'still' : 'too'}, ${money(forgetful)}, but knows nothing of what it dropped.`,
    )
  }
  return sentences
}

function describeFree(policies: readonly Run[]): Answer {
  const smallest = policies.reduce((a, b) => (b.tokens.meanContext < a.tokens.meanContext ? b : a))
  return {
    headline: `At these prices nothing costs anything. \`${smallest.name}\` sends the least: ${formatTokens(smallest.tokens.meanContext)} tokens a request.`,
    details: [],
  }
}

function describeBaselines(runs: readonly Run[], currency: string): Answer {
  const best = byCost(runs)[0]!
  return {
    headline: `No policy was replayed. The cheapest baseline is \`${best.name}\`: ${formatMoney(best.cost.total, currency)}.`,
    details: [],
  }
}
