import {
  type ConvertedSession,
  lineId,
  type Transcript,
  toSessionFile,
} from '@palimpsest/replay/internals/transcript/index'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { isNewId, NEW_ID_RULE } from 'palimpsest/internals/log/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Session } from 'palimpsest/internals/session'
import type { ImportFlags } from './import.ts'

/** What an import would do with one conversation. All conversations are planned before the first write. */
export interface PlannedSession {
  readonly session: string
  readonly transcript: Transcript
  /** `there`: the session exists. Its content stays, and the messages that it lacks are appended. */
  readonly state: 'new' | 'there'
  readonly added: number
  readonly duplicates: number
  /**
   * The session of an older system, with its cursor, its summaries, its memo and its documents. `null`: a
   * plain transcript.
   */
  readonly whole: ConvertedSession | null
}

/**
 * A single conversation goes to the session itself. Several go to sessions named after it and their own id or
 * number. Where no session is named, conversations of an older system keep their own ids.
 */
export function sessionNames(
  session: string | undefined,
  transcripts: readonly Transcript[],
): readonly string[] {
  if (session !== undefined && transcripts.length === 1) return [session]
  const taken = new Set<string>()
  return transcripts.map(({ id, number, past }) => {
    if (session === undefined && (past === null || id === null))
      throw new InvalidArgumentError(
        '--session',
        session,
        past === null
          ? 'the id of the session that a transcript goes to'
          : `the id of the session that it goes to: conversation ${number} of the file has no id of its own`,
      )
    const name = session === undefined ? id! : `${session}:${id ?? number}`
    const free = taken.has(name) ? `${name}:${number}` : name
    if (!isNewId(free)) throw new InvalidArgumentError('--session', free, NEW_ID_RULE)
    taken.add(free)
    return free
  })
}

export interface Planning {
  readonly flags: Pick<ImportFlags, 'kind' | 'user' | 'scope'>
  readonly zone: string
  /** `null`: there is no database yet. */
  readonly palimpsest: Palimpsest | null
  /**
   * Whose repeated messages are counted. `older`: only those of an older system, since an import counts those
   * of a transcript while it appends them.
   */
  readonly counts: 'all' | 'older'
  /** Throws to end the work. */
  readonly check: () => void
}

export async function planSessions(
  transcripts: readonly Transcript[],
  names: readonly string[],
  { flags: { kind, user, scope }, zone, palimpsest, counts, check }: Planning,
): Promise<readonly PlannedSession[]> {
  const planned: PlannedSession[] = []
  for (const [index, transcript] of transcripts.entries()) {
    check()
    const name = names[index]!
    const traits = {
      ...(kind && { kind }),
      ...(user !== undefined && { user }),
      ...(scope !== undefined && { scope }),
    }
    const whole = transcript.past === null ? null : await toSessionFile(transcript, { zone, ...traits })
    const session = palimpsest?.session(name)
    if (session === undefined || (await session.info()) === null) {
      planned.push({
        session: name,
        transcript,
        state: 'new',
        added: transcript.messages,
        duplicates: 0,
        whole,
      })
      continue
    }
    const isCounted = whole !== null || counts === 'all'
    const duplicates = !isCounted ? 0 : await countKnown(transcript, await idsOf(session))
    // Refused: without a single shared message, the file and the session are different chats.
    if (whole !== null && duplicates === 0 && transcript.messages > 0 && (await session.count()) > 0)
      throw new InvalidArgumentError(
        '--session',
        name,
        'a session that is not there yet: this one holds other messages, none of them from this file. With --session NAME the sessions of the file get other ids. Nothing was imported',
      )
    const added = transcript.messages - duplicates
    planned.push({ session: name, transcript, state: 'there', added, duplicates, whole })
  }
  return planned
}

const MESSAGES_AT_A_TIME = 1_000

async function idsOf(session: Session): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (let after = 0; ; ) {
    const page = await session.messages({ after, limit: MESSAGES_AT_A_TIME })
    for (const { externalId } of page) if (externalId !== null) ids.add(externalId)
    if (page.length < MESSAGES_AT_A_TIME) return ids
    after = page.at(-1)!.seq
  }
}

async function countKnown(transcript: Transcript, known: ReadonlySet<string>): Promise<number> {
  const found = new Set<string>()
  for await (const entry of transcript.read()) {
    const id = entry.message.externalId ?? lineId(entry)
    if (known.has(id)) found.add(id)
  }
  return found.size
}
