import { readFileSync } from 'node:fs'
import {
  createPalimpsest,
  type MemoryDocument,
  type MessageInput,
  type Palimpsest,
  rounds,
  type SessionOptions,
  type Store,
} from '../packages/palimpsest/src/index.ts'

interface Conversation {
  readonly file: string
  readonly id: string
  readonly of: SessionOptions
}

/** The ids say that nobody's bot is behind them. */
const CONVERSATIONS: readonly Conversation[] = [
  { file: 'nora.jsonl', id: 'example:nora', of: { kind: 'private', user: 'nora' } },
  { file: 'launch-team.jsonl', id: 'example:新品发布群', of: { kind: 'group', scope: '拾光' } },
  { file: 'invoice-agent.jsonl', id: 'example:invoice-agent', of: { kind: 'agent', scope: 'invoices' } },
]

export interface SeedOptions {
  readonly namespace: string
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

export interface Seeded {
  readonly conversations: number
  readonly messages: number
}

/**
 * Puts the example conversations in, turn by turn and folding as they go, without a model. The clock goes by what was
 * said: each fold has the day on which it would have happened. What is there already stays as it is, so that a repeat
 * finishes what was begun. `null`: it was told to stop before the end.
 */
export async function seedExamples(
  store: Store,
  { namespace, onProgress, signal }: SeedOptions,
): Promise<Seeded | null> {
  let now = Date.now()
  await using palimpsest = await createPalimpsest({ store, namespace, policy: rounds(), clock: () => now })
  // Whoever was cut off has left leases, which run out only by a clock that is ahead of his.
  const isResumed = (await palimpsest.sessions({ limit: 1 })).length > 0
  const turns = CONVERSATIONS.flatMap(conversation => readTurns(palimpsest, conversation))
  turns.sort((left, right) => left.at - right.at)
  if (!isResumed) now = turns[0]!.at
  await writeOnce(palimpsest.memory.persona, 'SOUL.md')
  await writeOnce(palimpsest.memory.global, 'MEMORY.md')
  for (const [index, { session, messages, at }] of turns.entries()) {
    if (signal.aborted) return null
    if (!isResumed) now = at
    await session.append(messages)
    await palimpsest.settled()
    onProgress((index + 1) / turns.length)
  }
  return {
    conversations: CONVERSATIONS.length,
    messages: turns.reduce((sum, { messages }) => sum + messages.length, 0),
  }
}

function readTurns(palimpsest: Palimpsest, { file, id, of }: Conversation) {
  const session = palimpsest.session(id, of)
  const lines = read(file).trimEnd().split('\n')
  return inTurns(lines.map(line => JSON.parse(line) as MessageInput)).map(messages => ({
    session,
    messages,
    at: Date.parse(messages.at(-1)!.at as string),
  }))
}

/** Each ends with a reply that calls no tool. */
function inTurns(messages: readonly MessageInput[]): readonly (readonly MessageInput[])[] {
  const turns: MessageInput[][] = [[]]
  for (const message of messages) {
    turns.at(-1)!.push(message)
    if (message.role === 'assistant' && message.text !== undefined) turns.push([])
  }
  return turns.filter(turn => turn.length > 0)
}

async function writeOnce(document: MemoryDocument, file: string): Promise<void> {
  if ((await document.read()) === null) await document.replace(read(file))
}

function read(file: string): string {
  return readFileSync(new URL(`../examples/conversations/${file}`, import.meta.url), 'utf8')
}
