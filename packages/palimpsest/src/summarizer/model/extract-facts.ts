import { estimateTokens } from '../../tokens/index.ts'
import { shortLine } from '../memory-line.ts'
import { type MemoryLine, MemoryLines } from '../memory-lines.ts'
import { whoSpeaks } from '../speakers.ts'
import type { ExtractedFact, FactRequest, Usage } from '../summarizer.ts'
import { SummarizerError } from '../summarizer-error.ts'
import { hasOwnWords } from '../told-apart.ts'
import { Models } from './ask-models.ts'
import { forEachPiece } from './for-each-piece.ts'
import { type LanguageModelLike, modelName } from './language-model.ts'
import type { ModelSummarizerSettings } from './model-summarizer.ts'
import { block, neutralizeForFacts } from './neutralize.ts'
import { peopleText } from './prompt-for.ts'
import { instructionsFor } from './prompts.ts'
import { readFacts } from './read-facts.ts'
import { type Entry, renderMessages } from './render-source.ts'
import { Tally } from './tally.ts'
import { memoTokens } from './window.ts'

/**
 * Works through the messages piece by piece, as the window holds them. Each piece is shown what the memory
 * has and what the pieces before it found. The answer is checked here: it can name no source that the model
 * was not shown, and no line that is not there.
 */
export async function extractFactsInPieces(
  settings: ModelSummarizerSettings,
  request: FactRequest,
): Promise<{ readonly facts: readonly ExtractedFact[]; readonly usage: Usage }> {
  const { layer, signal } = request
  const sources = ownSources(request)
  const tally = new Tally(settings.model, settings.prices)
  const models = new Models(settings.model, settings, tally)
  const instructions = instructionsFor('facts', false)
  const memory = new MemoryLines(request.known)
  const shownLines = () => newestLines(memory.current(), memoTokens(settings.windowTokens))
  const prompt = (lines: readonly MemoryLine[], piece: string) => promptForFacts(request, lines, piece)

  await forEachPiece({
    tally,
    entries: entriesOf({ ...request, sources }),
    settings,
    besideTokens: () => estimateTokens(instructions + prompt(shownLines(), '')),
    work: async piece => {
      const shown = new Set(piece.seqs.filter(seq => sources.has(seq)))
      if (shown.size === 0) return
      const lines = shownLines()
      const facts = await models.ask(
        {
          instructions,
          prompt: prompt(lines, piece.text),
          asks: layer === 'user' ? 'user facts' : 'scope facts',
          signal,
          beforeCall: request.beforeCall,
        },
        (text, model) => checkedFacts(text, model, { layer, sources: shown, lines: lines.length }),
      )
      for (const { replaces, ...fact } of facts)
        memory.add(
          fact,
          replaces.map(place => lines[place]!),
        )
    },
  })
  return { facts: memory.facts(), usage: tally.total() }
}

/** What a person only passed on says nothing of them, even if a model takes it so. */
function ownSources({ messages, sources }: FactRequest): ReadonlySet<number> {
  return new Set(
    messages.filter(message => sources.has(message.seq) && hasOwnWords(message)).map(({ seq }) => seq),
  )
}

/**
 * Messages that are no sources are marked, each by itself, so that a mark costs the same however many
 * messages there are.
 */
function entriesOf({ messages, zone, sources, people, marksAll = false }: FactRequest): Entry[] {
  if (!messages.some(({ seq }) => sources.has(seq))) return []
  return renderMessages(messages, zone, { people, marksAll, inert: neutralizeForFacts }).map(entry =>
    sources.has(entry.seq) ? entry : { ...entry, head: `${entry.head} (context)` },
  )
}

function promptForFacts(request: FactRequest, lines: readonly MemoryLine[], piece: string): string {
  const { layer } = request
  const people = peopleText(request)
  const numbered = lines.map((line, index) => `[${index + 1}] ${renderLine(line)}`)
  return [
    ...(people === '' ? [] : [block('people', neutralizeForFacts(people))]),
    ...(numbered.length === 0 ? [] : [block('memory', numbered.join('\n'))]),
    ...(layer === 'user' ? [block('subject', nameOf(request))] : []),
    block('conversation', piece),
  ].join('\n\n')
}

function renderLine({ text }: MemoryLine): string {
  return neutralizeForFacts(shortLine(text))
}

/** The name as it stands in the conversation. */
function nameOf({ subject, messages, people }: FactRequest): string {
  if (subject === null) return 'the person who writes to the assistant'
  const { id, name } = subject
  const own = { id, names: name === null ? [] : [{ name, since: '' }] }
  return neutralizeForFacts(
    whoSpeaks(messages, [...(people ?? []), own]).nameOf({
      sender: name === null ? { id } : { id, name },
      role: 'user',
    }),
  )
}

/** The last lines that fit: a memory that outgrew the window leaves room for the conversation. */
function newestLines(lines: readonly MemoryLine[], tokens: number): MemoryLine[] {
  let from = lines.length
  for (let left = tokens; from > 0; from--) {
    left -= estimateTokens(`[${lines.length}] ${renderLine(lines[from - 1]!)}\n`)
    if (left < 0) break
  }
  return lines.slice(from)
}

function checkedFacts(
  text: string,
  model: LanguageModelLike,
  shown: Parameters<typeof readFacts>[1],
): ExtractedFact[] {
  const facts = readFacts(text, shown)
  if (facts !== null) return facts
  throw new SummarizerError('no_facts', 'gave an answer that is no list of facts', {
    model: modelName(model),
  })
}
