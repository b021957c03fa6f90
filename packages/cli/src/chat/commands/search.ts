import { InvalidArgumentError } from 'palimpsest/internals/errors'
import type { Excerpt, SearchResult } from 'palimpsest/internals/finding/index'
import { resultsText } from '../../search-text.ts'
import type { ChatCommand } from './command.ts'

const MAX_RESULTS = 5

export const searchCommand: ChatCommand = {
  name: 'search',
  takes: 'QUERY',
  help: 'find what was said in this chat, folded or not',
  run: async (query, { session, user, zone, screen }) => {
    if (query === '') throw new InvalidArgumentError('/search', query, 'words to find, as in /search dog')
    const { results } = await session.search(query, { limit: MAX_RESULTS })
    const text =
      results.length === 0
        ? 'Nothing was found.'
        : resultsText({ results: results.map(result => asYou(result, user)), next: null }, { zone, screen })
    return { text: text.trimEnd(), json: { results } }
  },
}

/** The person at the terminal is shown as “you”, not by an id. */
function asYou(result: SearchResult, user: string | null): SearchResult {
  const named = <Said extends Excerpt>(said: Said): Said =>
    said.sender !== null && said.sender.id === user
      ? { ...said, sender: { ...said.sender, name: 'you' } }
      : said
  return { ...named(result), before: result.before.map(named), after: result.after.map(named) }
}
