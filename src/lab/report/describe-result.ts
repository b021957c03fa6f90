import type { Comparison, Run, Sweep } from '../comparison.ts'
import { formatDifference, formatFactor, formatMoney, formatShare, formatTokens } from './format.ts'
import { pointLabel } from './sweep-points.ts'

/** The answer in a sentence, then what has to be known beside it. Names stand between backticks. */
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
    policies.length === 1 || policies.at(-1)!.cost.total === best.cost.total
      ? `${policies.length === 1 ? `\`${best.name}\`` : 'Each policy'} would have cost ${money(best)}${compared}.`
      : `\`${best.name}\` would have been cheapest: ${money(best)}${compared}.`
  return {
    headline,
    details: [
      describeNext(policies, money),
      describeCheaperPoint(sweep, best, prices.currency),
      describeCheaperBaseline(runs, best, money),
    ].filter(detail => detail !== null),
  }
}

function byCost(runs: readonly Run[]): Run[] {
  return [...runs].sort((a, b) => a.cost.total - b.cost.total)
}

/** A bot that sends everything is what anyone can picture. */
function referenceRun(runs: readonly Run[]): Run | undefined {
  const baselines = runs.filter(run => run.kind === 'baseline')
  return baselines.find(run => run.name === 'no memory') ?? baselines[0]
}

function compare(run: Run, reference: Run): string {
  const other = reference.name === 'no memory' ? 'sending everything' : `\`${reference.name}\``
  const ratio = reference.cost.total > 0 ? run.cost.total / reference.cost.total : 1
  if (ratio === 1) return `as much as ${other}`
  if (ratio < 1) return `${formatShare(1 - ratio)} less than ${other}`
  return ratio < 2
    ? `${formatShare(ratio - 1)} more than ${other}`
    : `${formatFactor(ratio)} times as much as ${other}`
}

function describeNext(policies: readonly Run[], money: (run: Run) => string): string | null {
  const [best, next] = policies
  if (!best || !next || policies.at(-1)!.cost.total === best.cost.total) return null
  if (next.cost.total === best.cost.total) return `\`${next.name}\` costs the same.`
  const difference = formatDifference(next.cost.total, best.cost.total)
  return `Next comes \`${next.name}\` with ${money(next)}${difference ? ` (${difference})` : ''}.`
}

function describeCheaperPoint(sweep: Sweep | null, best: Run, currency: string): string | null {
  if (sweep === null || sweep.best.money >= best.cost.total) return null
  const name = `${sweep.policy} ${pointLabel(sweep, sweep.best)}`
  return `Of the values that were tried, \`${name}\` comes lower still: ${formatMoney(sweep.best.money, currency)}.`
}

function describeCheaperBaseline(
  runs: readonly Run[],
  best: Run,
  money: (run: Run) => string,
): string | null {
  const cheaper = byCost(runs).find(run => run.kind === 'baseline' && run.cost.total < best.cost.total)
  if (!cheaper) return null
  return cheaper.name === 'no memory'
    ? `Without a memory it would have been ${money(cheaper)}: a conversation of this size does not need one for its costs.`
    : `The baseline \`${cheaper.name}\` costs less still, ${money(cheaper)}, but knows nothing of what it dropped.`
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
