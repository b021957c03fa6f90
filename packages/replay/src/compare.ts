import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import { GROUP_TURN_MESSAGES, type NewMessage, type SessionKind } from 'palimpsest/internals/log/index'
import { runInSlices } from 'palimpsest/internals/slices'
import { measureMessageInSteps } from 'palimpsest/internals/tokens/index'
import { lastMessages, NO_MEMORY, replayBaseline } from './baselines.ts'
import type { Comparison, Run, Sweep, TranscriptFigures } from './comparison.ts'
import { CONDITION_OPTIONS, type ConditionOptions, conditionsOf, DEFAULT_KEEP_LAST } from './conditions.ts'
import { type Candidate, type Conversation, replayPolicy } from './replay/replay.ts'
import { type SweptSetting, sweepOf, sweptCandidates } from './sweep.ts'
import type { Transcript } from './transcript/index.ts'
import { withoutRepeats } from './without-repeats.ts'

export interface CompareOptions extends ConditionOptions {
  readonly candidates: readonly Candidate[]
  /** For the bot that sends only the last messages: how many. The default: 40. */
  readonly keepLast?: number
  /** Replaces each transcript's own kind. */
  readonly kind?: SessionKind
  /** One or two settings of the first candidate to try out. */
  readonly sweep?: readonly SweptSetting[]
  /**
   * Called now and then with the name of the current run and the share that is done, from 0 to 1. An error
   * that it throws ends the comparison.
   */
  readonly onProgress?: (run: string, share: number) => void
}

const OPTIONS = optionsOf<CompareOptions>({
  candidates: true,
  keepLast: true,
  kind: true,
  sweep: true,
  onProgress: true,
  ...CONDITION_OPTIONS,
})

/**
 * What each policy would have cost on these transcripts, beside what bots without a memory would have cost.
 *
 * @example
 * ```ts
 * const transcripts = await openTranscripts('conversations.json')
 * const comparison = await compare(transcripts, { candidates: [{ name: 'tokens', policy, settings: {} }] })
 * await writeFile('comparison.html', comparisonPage(comparison))
 * ```
 */
export async function compare(
  transcripts: readonly Transcript[],
  options: CompareOptions,
): Promise<Comparison> {
  checkOptions('compare', options, OPTIONS)
  const { candidates, keepLast = DEFAULT_KEEP_LAST, onProgress = () => {} } = options
  const [first] = candidates
  const swept = first && options.sweep?.length ? sweptCandidates(first, options.sweep) : []
  const survey = await surveyTranscripts(transcripts, options)
  const conditions = conditionsOf(options, {
    hasReplies: survey.replies.includes(true),
    policies: [...candidates, ...swept.map(({ candidate }) => candidate)].map(({ policy }) => policy),
  })
  const read = (run: string): Conversation[] => {
    const places = new Places(transcripts, share => onProgress(run, share))
    return transcripts.map((transcript, index) => ({
      kind: options.kind ?? transcript.kind,
      ...(!survey.replies[index] &&
        conditions.assumptions.calls === 'replies' && { calls: GROUP_TURN_MESSAGES }),
      read: () => places.follow(transcript),
    }))
  }
  const runs: Run[] = []
  for (const candidate of candidates)
    runs.push(await replayPolicy(candidate, read(candidate.name), conditions))
  for (const baseline of [NO_MEMORY, lastMessages(keepLast)])
    runs.push(await replayBaseline(baseline, read(baseline.name), conditions))
  let sweep: Sweep | null = null
  if (swept.length > 0) {
    const points: Run[] = []
    for (const { candidate } of swept)
      points.push(await replayPolicy(candidate, read(candidate.name), conditions))
    sweep = sweepOf(first!.policy.name, swept, points)
  }
  const { prices, summarizerPrices, assumptions } = conditions
  return { transcripts: survey.figures, prices, summarizerPrices, assumptions, runs, sweep }
}

/** Reads all transcripts through once, for what must be known before anything runs. */
async function surveyTranscripts(
  transcripts: readonly Transcript[],
  { kind, onProgress = () => {} }: CompareOptions,
): Promise<{ figures: readonly TranscriptFigures[]; replies: readonly boolean[] }> {
  const places = new Places(transcripts, share => onProgress('measuring', share))
  const figures: TranscriptFigures[] = []
  const replies: boolean[] = []
  for (const transcript of transcripts) {
    const { path, title, format, messages } = transcript
    let tokens = 0
    let hasReplies = false
    for await (const message of withoutRepeats(places.follow(transcript))) {
      tokens += (await runInSlices(measureMessageInSteps(message))).tokens
      hasReplies ||= message.role === 'assistant'
    }
    figures.push({ path, title, format, kind: kind ?? transcript.kind, messages, tokens })
    replies.push(hasReplies)
  }
  return { figures, replies }
}

const MESSAGES_BETWEEN_REPORTS = 64

/** How far a run has come in all transcripts together. */
class Places {
  readonly #total: number
  readonly #onProgress: (share: number) => void
  #before = 0

  constructor(transcripts: readonly Transcript[], onProgress: (share: number) => void) {
    this.#total = Math.max(
      1,
      transcripts.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    this.#onProgress = onProgress
  }

  async *follow(transcript: Transcript): AsyncGenerator<NewMessage> {
    let messages = 0
    for await (const { message, position } of transcript.read()) {
      if (messages++ % MESSAGES_BETWEEN_REPORTS === 0)
        this.#onProgress((this.#before + position) / this.#total)
      yield message
    }
    this.#before += transcript.bytes
  }
}
