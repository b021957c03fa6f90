import { drawTable, left, right } from '../packages/cli/src/text-layout.ts'
import { formatPlural } from '../packages/replay/src/report/format.ts'
import { categoryName } from './categories.ts'
import type { Conversation } from './conversation.ts'
import type { Figures, RecallReport, SearchRecall } from './recall/index.ts'
import type { RecalledReport } from './recalled/index.ts'
import type { MethodResult, Retention } from './retention/index.ts'

export interface DataFigures {
  readonly conversations: readonly string[]
  readonly messages: number
  readonly questions: number
}

/** Shares are in percent. */
export interface Evaluation {
  readonly data: DataFigures
  readonly recall?: RecallReport
  readonly retention?: Retention
  readonly recalled?: RecalledReport
}

export function dataFigures(conversations: readonly Conversation[]): DataFigures {
  return {
    conversations: conversations.map(({ name }) => name),
    messages: conversations.reduce((sum, { messages }) => sum + messages.length, 0),
    questions: conversations.reduce((sum, { questions }) => sum + questions.length, 0),
  }
}

/** One object; what is held by category becomes a list, since JSON knows no maps. */
export function evaluationJson(evaluation: Evaluation): string {
  const replace = (_: string, value: unknown) =>
    value instanceof Map ? [...value].map(([category, figures]) => ({ category, ...figures })) : value
  return JSON.stringify(evaluation, replace)
}

export function describeEvaluation({ data, recall, retention, recalled }: Evaluation): string {
  const parts = [describeData(data)]
  if (recall) parts.push(describeRecall(recall))
  if (retention) parts.push(describeRetention(retention))
  if (recalled) parts.push(describeRecalled(recalled))
  return parts.join('\n')
}

function describeData({ conversations, messages, questions }: DataFigures): string {
  const counts = [
    formatPlural(conversations.length, 'conversation'),
    formatPlural(messages, 'message'),
    formatPlural(questions, 'question'),
  ]
  return `${counts.join(', ')}\n`
}

/** The form of the weights that is measured, as a reader of tables would call it. */
const SEARCHES: Readonly<Record<SearchRecall['search'], string>> = {
  fts5: 'SQLite FTS5',
  'shipped weights': 'palimpsest',
  'weights chosen leaving each conversation out': 'palimpsest, held out',
}

function describeRecall({ searches, chosen }: RecallReport): string {
  const questions = searches[0]?.overall.questions ?? 0
  const categories = [...(searches[0]?.byCategory ?? [])]
  const headings = [
    left(''),
    ...['R@5', 'R@10', 'R@20', 'R@50', 'all\nin 10'].map(right),
    ...categories.map(([category, { questions }]) => right(`${categoryName(category)}\n(${questions})`)),
  ]
  const rows = searches.map(({ search, overall, byCategory }) => [
    SEARCHES[search],
    ...figureCells(overall),
    ...categories.map(([category]) => percent(byCategory.get(category)?.at10 ?? null)),
  ])
  return [
    'Recall: evidence among the first results of one search per question',
    `(${formatPlural(questions, 'question')} with evidence; by category: R@10)\n`,
    drawTable(headings, rows),
    ...(chosen.length > 0 ? ['held out: searched with weights chosen on the other conversations\n'] : []),
  ].join('\n')
}

function figureCells({ at5, at10, at20, at50, allAt10 }: Figures): string[] {
  return [at5, at10, at20, at50, allAt10].map(percent)
}

function describeRetention({ asked, leftOut, results }: Retention): string {
  const budgets = [...new Set(results.map(({ budget }) => budget))]
  const count = asked - leftOut
  return [
    'Retention: gold answers all of whose words are in the folded text',
    `(${formatPlural(count, 'answer')}; ${leftOut} of ${asked} are left out: their words are not in the source)\n`,
    ...budgets.map(budget =>
      retentionTable(
        budget,
        results.filter(result => result.budget === budget),
      ),
    ),
  ].join('\n')
}

function describeRecalled({ results }: RecalledReport): string {
  const headings = [
    left('in at most'),
    ...['evidence', 'answers', 'with\nfolded', 'tokens', 'messages', 'repeated'].map(right),
  ]
  const rows = results.map(({ way, budget, evidence, answers, withFolded, tokens, messages, repeated }) => [
    `${budget} tokens: ${way}`,
    ...[evidence, answers, withFolded].map(percent),
    tokens.toFixed(0),
    messages.toFixed(1),
    percent(repeated),
  ])
  return [
    'Recalled: what a context whose segments keep 10% recalls for a question',
    `(${formatPlural(results[0]?.questions ?? 0, 'question')} with evidence; as means)\n`,
    drawTable(headings, rows),
  ].join('\n')
}

function retentionTable(budget: number, results: readonly MethodResult[]): string {
  const categories = results[0]?.byCategory ?? []
  // Few data name what was said before and holds no more.
  const superseded = results[0]?.superseded.count ?? 0
  const headings = [
    left(`in at most ${budget}%`),
    ...['kept', 'answers', 'words'].map(right),
    ...(superseded > 0 ? [right(`old told\nalone (${superseded})`)] : []),
    ...categories.map(({ category, count }) => right(`${categoryName(category)}\n(${count})`)),
  ]
  const rows = results.map(({ method, kept, answers, words, byCategory, superseded: { share } }) => [
    method,
    ...[kept, answers, words].map(percent),
    ...(superseded > 0 ? [percent(share)] : []),
    ...byCategory.map(each => percent(each.answers)),
  ])
  return drawTable(headings, rows)
}

function percent(figure: number | null): string {
  return figure === null ? '–' : `${figure.toFixed(1)}%`
}
