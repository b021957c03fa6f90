import { SessionNotFoundError } from 'palimpsest/internals/errors'
import type { SearchOptions, SessionsOptions } from 'palimpsest/internals/finding/index'
import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import { openForReading } from './existing-database.ts'
import type { SearchFlags } from './search.ts'
import { resultsText } from './search-text.ts'
import { environmentSettings } from './stored-settings.ts'
import { NoResultError, type Terminal } from './terminal.ts'

/** Writes nothing: messages that are not indexed yet are searched directly. */
export async function runSearch(query: string, flags: SearchFlags, terminal: Terminal): Promise<void> {
  await using reading = await openForReading(flags, environmentSettings(terminal))
  const { palimpsest, zone } = reading
  const answer = await palimpsest.search(query, optionsOf(flags))
  if (answer.results.length === 0) await requireSessions(palimpsest, flags.session)
  if (flags.json) terminal.output.write(`${JSON.stringify(answer)}\n`)
  else if (answer.results.length > 0)
    terminal.output.write(resultsText(answer, { zone, screen: terminal.output }))
  else throw new NoResultError(flags.cursor === undefined ? 'Nothing was found.' : 'There are no more.')
}

function optionsOf(flags: SearchFlags): SearchOptions & SessionsOptions {
  const { session, user, scope, sender, role, after, before, cursor, limit, neighbours } = flags
  return {
    limit,
    neighbours,
    ...(session && { sessions: session }),
    ...(user !== undefined && { user }),
    ...(scope !== undefined && { scope }),
    ...(sender !== undefined && { sender }),
    ...(role && { role }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** Tells an unknown session apart from a search without results. */
async function requireSessions(palimpsest: Palimpsest, ids: readonly string[] = []): Promise<void> {
  for (const id of ids) if ((await palimpsest.session(id).info()) === null) throw new SessionNotFoundError(id)
}
