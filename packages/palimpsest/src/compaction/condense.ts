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

/** Of what a condensed segment may take, the part for its text; the rest is for its details and dates. */
const TEXT_SHARE = 0.65

/** What does not become smaller by a quarter was not worth the call. */
const MIN_GAIN = 0.75

/** Far enough over it, segments are condensed without a model rather than not at all. */
const MAX_OVER_LIMIT = 1.5

/** So that a failure to make them smaller ends: each time takes the place of two segments or three. */
const MAX_ROLL_UPS = 8

/**
 * Neighbouring segments into one of the next level, again and again until all together take no more than
 * they may. `shown` are those of the session and the new ones of this commit, which are named by their
 * place in it, as a negative number. A summary of summaries that fails does not spoil the good ones: it is
 * left for the next fold, unless they are far over it.
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
  // While the summariser is down, what it wrote is left alone as long as there is some room.
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

/** As large as any other of its kind, whatever it stands for; nothing where an erasure left nothing of that. */
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
 * What has no day of its own was said when what stands before it was: never on the day of the fold that condenses it,
 * which may be months later. `latest`: where no line has one.
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
