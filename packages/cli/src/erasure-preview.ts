import { SessionNotFoundError } from 'palimpsest/internals/errors'
import { type Message, originOf } from 'palimpsest/internals/log/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { SessionInfo } from 'palimpsest/internals/session'
import { type DocumentRecord, documentSession, type ErasureTarget } from 'palimpsest/internals/store/index'

/** What an erasure would remove, as far as it can be told beforehand. */
export interface ErasurePreview {
  readonly target: ErasureTarget
  /** Sessions that would be erased as a whole. */
  readonly sessions: number
  /** The visible messages of these and of other sessions that would be erased. */
  readonly messages: number
  /** Memory documents that would be erased as a whole. */
  readonly documents: number
  /** Some of the messages. Empty unless the caller named messages. */
  readonly examples: readonly Message[]
}

const AT_A_TIME = 1_000
const MAX_EXAMPLES = 5

export async function previewErasure(palimpsest: Palimpsest, target: ErasureTarget): Promise<ErasurePreview> {
  if (target.kind === 'messages') return previewMessages(palimpsest, target)
  if (target.kind === 'session') await requireSession(palimpsest, target.sessionId)
  const whole = new Set<string>()
  let messages = 0
  for await (const info of sessionsOf(palimpsest, target)) {
    const isWhole = isGone(target, info)
    if (isWhole) whole.add(info.id)
    messages += isWhole ? info.messages : await countSaid(palimpsest, info, target)
  }
  let documents = 0
  for await (const document of documentsOf(palimpsest))
    if (isDocumentGone(target, document, whole)) documents += 1
  return { target, sessions: whole.size, messages, documents, examples: [] }
}

async function requireSession(palimpsest: Palimpsest, id: string): Promise<SessionInfo> {
  const info = await palimpsest.session(id).info()
  if (info === null) throw new SessionNotFoundError(id)
  return info
}

async function previewMessages(
  palimpsest: Palimpsest,
  target: ErasureTarget & { readonly kind: 'messages' },
): Promise<ErasurePreview> {
  const { sessionId, seqs } = target
  await requireSession(palimpsest, sessionId)
  const examples: Message[] = []
  let messages = 0
  for (const { from, to } of runsOf(seqs)) {
    const range = { after: from - 1, before: to + 1, limit: to - from + 1 }
    const found = await palimpsest.session(sessionId).messages(range)
    messages += found.length
    examples.push(...found.slice(0, MAX_EXAMPLES - examples.length))
  }
  return { target, sessions: 0, messages, documents: 0, examples }
}

/** Runs of consecutive numbers, none longer than one page. */
function runsOf(seqs: readonly number[]): readonly { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = []
  for (const seq of seqs) {
    const last = runs.at(-1)
    if (last?.to === seq - 1 && seq - last.from < AT_A_TIME) last.to = seq
    else runs.push({ from: seq, to: seq })
  }
  return runs
}

async function* sessionsOf(palimpsest: Palimpsest, target: ErasureTarget): AsyncGenerator<SessionInfo> {
  if (target.kind === 'session') {
    yield await requireSession(palimpsest, target.sessionId)
    return
  }
  for (let after: string | undefined; ; ) {
    const page = await palimpsest.sessions({ limit: AT_A_TIME, ...(after !== undefined && { after }) })
    yield* page
    after = page.at(-1)?.id
    if (page.length < AT_A_TIME) return
  }
}

function isGone(target: ErasureTarget, { user, kind }: SessionInfo): boolean {
  return target.kind !== 'person' || (user === target.id && kind !== 'group')
}

/** Counts what a person said in a session that stays, including what others forwarded. */
async function countSaid(
  palimpsest: Palimpsest,
  { id }: SessionInfo,
  target: ErasureTarget,
): Promise<number> {
  let said = 0
  for (let after = 0; ; ) {
    const page = await palimpsest.session(id).messages({ after, limit: AT_A_TIME })
    said += page.filter(message => target.kind === 'person' && isSaidBy(message, target.id)).length
    after = page.at(-1)?.seq ?? 0
    if (page.length < AT_A_TIME) return said
  }
}

function isSaidBy({ sender, content }: Message, id: string): boolean {
  if (sender?.id === id) return true
  return typeof content !== 'string' && content.some(part => originOf(part)?.from?.id === id)
}

type Listed = Pick<DocumentRecord, 'layer' | 'key'>

async function* documentsOf({ memory }: Palimpsest): AsyncGenerator<Listed> {
  for (let after: Listed | undefined; ; ) {
    const page = await memory.list({ limit: AT_A_TIME, ...(after && { after }) })
    yield* page
    after = page.at(-1)
    if (page.length < AT_A_TIME) return
  }
}

function isDocumentGone(target: ErasureTarget, document: Listed, whole: ReadonlySet<string>): boolean {
  if (target.kind === 'namespace') return true
  if (target.kind === 'person' && document.layer === 'user') return document.key === target.id
  const session = documentSession(document)
  return session !== null && whole.has(session)
}
