import { estimateTokens } from '../../tokens/index.ts'
import { missingDetails, says } from '../extractive/missing-details.ts'
import { runInSlices } from '../extractive/slices.ts'
import type {
  DatedEvent,
  MemoRequest,
  MemoUpdateRequest,
  SummarizeRequest,
  Summary,
  Usage,
} from '../summarizer.ts'
import { SummarizerError } from '../summarizer-error.ts'
import { isTooShort, ROOM_FOR_WORDS } from '../text-problem.ts'
import { Models } from './ask-models.ts'
import { chooseExtracts } from './choose-extracts.ts'
import { forEachPiece } from './for-each-piece.ts'
import { type LanguageModelLike, modelName } from './language-model.ts'
import { memoFits, memoSatisfies } from './memo.ts'
import type { ModelSummarizerSettings } from './model-summarizer.ts'
import { promptFor, wantedExtracts } from './prompt-for.ts'
import { instructionsFor } from './prompts.ts'
import { type Answer, readAnswer, readMemoAnswer } from './read-answer.ts'
import { indexMessages, renderMessages, renderSummaries } from './render-source.ts'
import type { Piece } from './take-piece.ts'
import { Tally } from './tally.ts'
import { memoTokens } from './window.ts'

type MemoValue = Readonly<Record<string, unknown>>

/**
 * An unfinished summary that is more than so many times its budget would take the room of the piece that it
 * is to be merged with.
 */
const MAX_OVER_BUDGET = 2

/**
 * Works through the source piece by piece, as the window holds them. Each piece is given the summary so far
 * and returns one that replaces it, so that the last summary stands for all. Mostly there is one piece, and
 * one call.
 */
export async function summarizePieces(
  settings: ModelSummarizerSettings,
  request: SummarizeRequest,
): Promise<Summary> {
  const { signal, budgetTokens, detailTokens = Number.POSITIVE_INFINITY } = request
  const isOfSummaries = request.of === 'summaries'
  const { windowTokens } = settings
  const tally = new Tally(settings.model, settings.prices)
  const models = new Models(settings.model, settings, tally)
  const task = isOfSummaries ? 'condense' : request.prefix ? 'summarize-prefix' : 'summarize'
  const wanted = wantedExtracts(request)
  const instructions = instructionsFor(task, request.memo !== undefined, wanted !== null)
  const events: DatedEvent[] = []
  const details: string[] = []
  const extracts: Answer['extracts'][] = []
  let soFar: string | null = null
  let memo: MemoValue | null = null
  let offered: MemoValue | null = null
  const prompt = (piece: string) => promptFor(request, { soFar, memo, piece, windowTokens })

  await forEachPiece({
    tally,
    entries: entriesOf(request),
    settings,
    besideTokens: () => estimateTokens(instructions + prompt('')),
    work: async (piece, isLast) => {
      const answer: Answer = await models.ask(
        {
          instructions,
          prefix: request.prefix,
          prompt: prompt(piece.text),
          asks: request.memo ? 'summary and memo' : 'summary',
          withExtracts: wanted !== null,
          signal,
          beforeCall: request.beforeCall,
        },
        (text, model) => checkedAnswer(text, model, { piece, budgetTokens, isLast }),
      )
      soFar = answer.summary
      events.push(...answer.events)
      details.push(...answer.details)
      extracts.push(answer.extracts)
      offered = answer.memo
      // The next piece goes on from a memo that is right. The code that stores the last memo checks it again.
      const isTaken =
        offered !== null &&
        memoFits(offered, request.memo?.value ?? {}, memoTokens(windowTokens)) &&
        (await memoSatisfies(request.memo?.schema, offered))
      if (isTaken) memo = offered
    },
  })

  const text = soFar ?? ''
  return {
    text,
    events: isOfSummaries ? [] : events,
    details: detailTokens > 0 ? await allDetails(request, text, details, detailTokens) : [],
    ...(request.memo && { memo: offered }),
    ...(wanted && { extracts: chooseExtracts(extracts, wanted.most, request) }),
    usage: tally.total(),
  }
}

function entriesOf({ messages, zone, of, prefix, people }: SummarizeRequest) {
  if (of === 'summaries') return renderSummaries(messages, zone, people)
  return prefix ? indexMessages(messages, zone, people) : renderMessages(messages, zone, { people })
}

/** Brings the memo alone up to date, in the same manner. */
export async function updateMemoInPieces(
  settings: ModelSummarizerSettings,
  request: MemoUpdateRequest,
): Promise<{ readonly memo: MemoValue; readonly usage: Usage }> {
  const { windowTokens } = settings
  const tally = new Tally(settings.model, settings.prices)
  const models = new Models(settings.model, settings, tally)
  const instructions = instructionsFor('update-memo', true)
  let memo: MemoValue = request.memo.value
  const prompt = (piece: string) => promptFor(request, { soFar: null, memo, piece, windowTokens })
  await forEachPiece({
    tally,
    entries: renderMessages(request.messages, request.zone, { people: request.people }),
    settings,
    besideTokens: () => estimateTokens(instructions + prompt('')),
    work: async piece => {
      memo = await models.ask(
        {
          instructions,
          prompt: prompt(piece.text),
          asks: 'memo',
          signal: request.signal,
          beforeCall: request.beforeCall,
        },
        (text, model) => checkedMemo(text, model, { ...request.memo, windowTokens }),
      )
    },
  })
  return { memo, usage: tally.total() }
}

function checkedAnswer(
  text: string,
  model: LanguageModelLike,
  { piece, budgetTokens, isLast }: { piece: Piece; budgetTokens: number; isLast: boolean },
): Answer {
  const answer = readAnswer(text, piece.seqs)
  const name = { model: modelName(model) }
  if (typeof answer === 'string') throw new SummarizerError(answer, 'gave an answer that is no summary', name)
  if (budgetTokens >= ROOM_FOR_WORDS && isTooShort(answer.summary, estimateTokens(piece.text)))
    throw new SummarizerError('too_short', 'said next to nothing', name)
  const isOver = !isLast && estimateTokens(answer.summary) > budgetTokens * MAX_OVER_BUDGET
  if (isOver) throw new SummarizerError('over_budget', `wrote far more than ${budgetTokens} tokens`, name)
  return answer
}

async function checkedMemo(
  text: string,
  model: LanguageModelLike,
  { schema, value, windowTokens }: MemoRequest & { readonly windowTokens: number },
): Promise<MemoValue> {
  const memo = readMemoAnswer(text)
  const isMemo =
    memo !== null && memoFits(memo, value, memoTokens(windowTokens)) && (await memoSatisfies(schema, memo))
  if (isMemo) return memo
  throw new SummarizerError(
    'no_memo',
    'returned no memo, or one that its schema refuses or that is too large',
    {
      model: modelName(model),
    },
  )
}

/**
 * The model's own details that the finished summary does not say. Behind them, the exact things in the source
 * that neither says: where a model forgets an id, nothing is lost.
 */
async function allDetails(
  { messages, zone, signal }: SummarizeRequest,
  text: string,
  told: readonly string[],
  limit: number,
): Promise<string[]> {
  const own = [...new Set(told)].filter(detail => !says(text, detail))
  const kept: string[] = []
  let left = limit
  for (const detail of own) {
    const tokens = estimateTokens(`- ${detail}\n`)
    if (tokens > left) continue
    kept.push(detail)
    left -= tokens
  }
  const said = [text, ...kept].join('\n')
  const missing =
    left > 0 ? await runInSlices(missingDetails(messages, { zone, said, limit: left }), { signal }) : []
  return [...kept, ...missing]
}
