import type { Author, DocumentKey, DocumentRecord, DocumentWrite, Fact, NewFact } from '../store/index.ts'
import type { Summarizer } from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { condensedLine, inertLine, linesToCondense, replaceLines } from './document/index.ts'
import type { MemoryEngine } from './engine.ts'

export const CONDENSED_BY: Author = { kind: 'extraction', name: 'condensed' }

/** Condensing goes down to this part of the budget, so that it is seldom. */
const TARGET = 0.75
/** What is left of the lines. */
const KEPT = 0.25

export interface Condensed {
  readonly lines: readonly string[]
  readonly by: string
}

/** Which of the oldest lines give way to which line; `null`: the document is within its budget, or has none that can. */
export async function condenseLines(
  content: string,
  budgetTokens: number,
  { summarizer, zone, signal }: { summarizer: Summarizer | null; zone: string; signal?: AbortSignal },
): Promise<Condensed | null> {
  const due = linesToCondense(content, { budgetTokens, targetTokens: Math.floor(budgetTokens * TARGET) })
  if (due === null) return null
  const request = {
    messages: due.lines.map(lineAsMessage),
    of: 'summaries' as const,
    earlier: null,
    budgetTokens: Math.max(20, Math.floor(due.tokens * KEPT)),
    detailTokens: 0,
    zone,
    ...(signal && { signal }),
  }
  const { extractive } = await import('../summarizer/index.ts')
  const said = await summarizer?.summarize(request).catch(() => null)
  signal?.throwIfAborted()
  const isShorter = said != null && estimateTokens(said.text) <= request.budgetTokens * 2
  const { text } = isShorter ? said : await extractive().summarize(request)
  const words = text
    .split('\n')
    .map(line => line.replace(/^- (?:\d{4}-\d{2}-\d{2} )?(?:user: )?/, '').trim())
    .filter(line => line !== '')
    .join('; ')
  return { lines: due.lines, by: condensedLine(due.from, due.to, inertLine(words)) }
}

function lineAsMessage(line: string, place: number) {
  const [, day, text] = /^- (\d{4}-\d{2}-\d{2})[^:]*: ?(.*)$/.exec(line) ?? []
  return {
    seq: place + 1,
    role: 'user' as const,
    sender: null,
    content: text || line,
    at: new Date(`${day ?? '1970-01-01'}T12:00:00Z`),
    zone: 'UTC',
  }
}

/** Where all the lines still stand: somebody may have written meanwhile. */
export function applyCondensed(content: string, { lines, by }: Condensed): string {
  return replaceLines(content, { lines, by: [by] }) ?? content
}

/** What is known of the lines holds for the one that took their place: for each session that they are from. */
export function condensedFacts(facts: readonly Fact[], { lines, by }: Condensed): readonly NewFact[] {
  const condensed = facts.filter(({ line }) => lines.includes(line))
  return [...Map.groupBy(condensed, ({ origin }) => origin.sessionId)].map(([sessionId, ofSession]) => ({
    line: by,
    subject: null,
    origin: {
      sessionId,
      fromSeq: Math.min(...ofSession.map(({ origin }) => origin.fromSeq)),
      toSeq: Math.max(...ofSession.map(({ origin }) => origin.toSeq)),
    },
    saidAt: new Date(Math.max(...ofSession.map(({ saidAt }) => saidAt.getTime()))),
    on: null,
    from: condensed.every(({ from }) => from === 'fold') ? 'fold' : 'extraction',
  }))
}

/** Of a document that was just written, without a model: nobody waits for one here. `null`: nothing was to be done. */
export async function condenseDocument(
  engine: MemoryEngine,
  { key, document }: { key: DocumentKey; document: DocumentRecord },
): Promise<DocumentRecord | null> {
  const { store, layerBudgets, zone, clock, noteChange } = engine
  const budget = layerBudgets[key.layer]
  if (key.layer === 'persona' || document.tokens <= budget) return null
  const condensed = await condenseLines(document.content, budget, { summarizer: null, zone })
  if (condensed === null) return null
  const facts = condensedFacts(await store.readFacts(key, 'current'), condensed)
  const [written] = await store.changeDocuments([condensingWrite(key, { condensed, facts, now: clock() })])
  noteChange()
  return written ?? null
}

export function condensingWrite(
  key: DocumentKey,
  { condensed, facts, now }: { condensed: Condensed; facts: readonly NewFact[]; now: number },
): DocumentWrite {
  return {
    key,
    change: current => {
      const content = applyCondensed(current?.content ?? '', condensed)
      if (content === (current?.content ?? '')) return null
      return { content, tokens: estimateTokens(content), facts }
    },
    author: CONDENSED_BY,
    sources: [],
    now,
  }
}
