import type { Message } from 'grammy/types'

/**
 * Describes content that is neither text nor a file in a few words, in the form that the reader of Telegram's
 * exports also uses. Empty: there is no such content.
 */
export function noteOf(message: Message): string {
  const { venue, location, contact, poll, checklist, dice, game, invoice, story, paid_media } = message
  if (venue) return note('location', venue.title, venue.address, coordinates(venue.location))
  if (location) return note('location', coordinates(location))
  if (contact)
    return note(
      'contact',
      [contact.first_name, contact.last_name].filter(Boolean).join(' '),
      contact.phone_number,
    )
  if (poll) return note('poll', poll.question, choices(poll.options))
  if (checklist) return note('list', checklist.title, choices(checklist.tasks))
  if (dice) return note('dice', dice.emoji, String(dice.value))
  if (game) return note('game', game.title)
  if (invoice) return note('invoice', invoice.title)
  if (story) return note('story')
  return paid_media ? note('paid media') : ''
}

function coordinates({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `${latitude} ${longitude}`
}

function choices(options: readonly { text: string }[]): string {
  return options.map(({ text }) => text).join(' / ')
}

function note(what: string, ...details: string[]): string {
  const said = details.filter(detail => detail !== '')
  return said.length === 0 ? `(${what})` : `(${what}: ${said.join(', ')})`
}
