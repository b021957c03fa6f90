import { mergePeople, type Segment, WhoIsWho } from '../log/index.ts'
import { extractive, type SourceMessage, type Summarizer } from '../summarizer/index.ts'
import { carryDetails, carryEvents } from './carry-over.ts'
import { failureReason } from './failure-reason.ts'
import { type FoldedSegment, measured } from './folded-segment.ts'
import type { FoldWork } from './handlers.ts'
import { peopleOfSegments, withNames } from './people.ts'
import { chooseRollUp } from './roll-up.ts'
import { dayOf, firstDay, linesAsMessages } from './segment-lines.ts'
import { type SourceRequest, summarizeSource } from './summarize-source.ts'

type Shown = Omit<FoldedSegment, 'absorbs' | 'state'> & { readonly id: number }

/** The share of a condensed segment's tokens for its text. The rest is for its details and events. */
const TEXT_SHARE = 0.65

/** A condensed segment takes at most this share of its sources. A smaller gain is not worth a call. */
const MIN_GAIN = 0.75

/**
 * Segments may exceed the limit by this factor while condensing fails. Above it they are condensed without a
 * model.
 */
const MAX_OVER_LIMIT = 1.5

/** Ends the loop if the segments do not become smaller. Each roll-up replaces two or three segments. */
const MAX_ROLL_UPS = 8

/**
 * Condenses neighbouring segments into one of the next level, until all together are within the limit.
 * `shown` holds the session's segments and the new ones of this commit. The id of a new one is its place in
 * the commit, as a negative number. A failure to condense does not lose the new summaries: condensing is left
 * for the next fold. Only segments far over the limit are condensed without a model.
 */
export async function condense(
  stored: readonly Segment[],
  folded: readonly FoldedSegment[],
  work: FoldWork,
): Promise<readonly FoldedSegment[]> {
  const { limits, signal, warn } = work
  const condensed: FoldedSegment[] = []
  let shown: readonly Shown[] = [
    ...stored,
    ...folded.map((segment, index) => ({ ...segment, id: -(index + 1) })),
  ]
  const condenseWith = async (summarizer: Summarizer, limitTokens: number) => {
    while (condensed.length < MAX_ROLL_UPS) {
      const rollUp = chooseRollUp(shown, limitTokens)
      if (rollUp === null) return
      signal.throwIfAborted()
      const { from, count } = rollUp
      const absorbed = shown.slice(from, from + count)
      const segment = await condenseOne(absorbed, { ...work, summarizer })
      condensed.push({ ...segment, absorbs: absorbed.map(({ id }) => id) })
      shown = shown.toSpliced(from, count, { ...segment, id: -(folded.length + condensed.length) })
    }
  }
  // While the summariser does not work, its summaries are kept as long as there is some room.
  const mostTokens = limits.totalTokens * MAX_OVER_LIMIT
  if (work.isProvisional) await condenseWith(work.summarizer, mostTokens)
  else
    try {
      await condenseWith(work.summarizer, limits.totalTokens)
    } catch (error) {
      signal.throwIfAborted()
      warn(`not_condensed: ${failureReason(error)}`)
      await condenseWith(extractive(), mostTokens)
    }
  return condensed
}

/**
 * A condensed segment may be as large as any other, however many segments it covers. If an erasure emptied
 * them all, it is empty too.
 */
export async function condenseOne(
  absorbed: readonly Shown[],
  { limits, summarizer, zone, signal, decision, focus, warn, messages, people: known }: FoldWork,
): Promise<Omit<FoldedSegment, 'absorbs'>> {
  const tokensBefore = tokensIn(absorbed)
  const tokens = Math.min(tokensBefore * MIN_GAIN, limits.condensedTokens)
  const budgetTokens = Math.max(1, Math.floor(tokens * TEXT_SHARE))
  const newest = messages.at(-1)!
  const people = peopleOfSegments(absorbed)
  const allKnown = mergePeople(known, people)
  const who = new WhoIsWho(allKnown)
  const named = absorbed.map(segment => withNames(segment, who))
  const told = absorbed.filter(({ summary }) => summary !== '')
  const source: SourceRequest = {
    messages: sourceOf(told, messages[0]!.at),
    of: 'summaries',
    sourceTokens: tokensBefore,
    budgetTokens,
    detailTokens: 0,
    earlier: null,
    people: allKnown,
    focus,
    zone,
    signal,
    warn,
  }
  const { text } = told.length === 0 ? { text: '' } : await summarizeSource(summarizer, source)
  return measured({
    fromSeq: absorbed[0]!.fromSeq,
    toSeq: absorbed.at(-1)!.toSeq,
    messageCount: absorbed.reduce((sum, segment) => sum + segment.messageCount, 0),
    summary: text,
    events: carryEvents(named, dayOf(newest.at, newest.zone ?? zone)),
    details: carryDetails(named, { summary: text, tokens: budgetTokens }),
    level: Math.max(...absorbed.map(segment => segment.level)) + 1,
    state: 'live',
    type: decision.type,
    reason: 'roll_up',
    summarizer: summarizer.name,
    promptVersion: summarizer.version,
    tokensBefore,
    mostTokens: tokensBefore,
    people,
  })
}

/**
 * A line without a day gets the day of the line before it. It never gets the day of this fold, which may be
 * months later. `latest` is used if no line has a day.
 */
function sourceOf(told: readonly Shown[], latest: Date): SourceMessage[] {
  const first = told.map(({ summary }) => firstDay(summary)).find(day => day !== null)
  let at = first ?? latest
  return told.flatMap(({ summary, people }) => {
    const messages = linesAsMessages(summary, at, new WhoIsWho(people ?? []))
    at = messages.at(-1)!.at
    return messages
  })
}

function tokensIn(segments: readonly Shown[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokensAfter, 0)
}
