/** What somebody means with a line. */
export type TypedLine =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }

/** `/name rest` is a command; `//` begins a message that begins with `/`. */
export function readTypedLine(line: string): TypedLine {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) }
  if (!text.startsWith('/')) return { kind: 'message', text }
  const name = /^\S*/.exec(text.slice(1))![0]
  return { kind: 'command', name: name.toLowerCase(), rest: text.slice(1 + name.length).trim() }
}

/** As somebody would have to type it. */
export function toTypedLine(message: string): string {
  const lines = message.split(/[\r\n]+/).map(line => line.trim())
  const line = lines.filter(line => line !== '').join(' ')
  return line.startsWith('/') ? `/${line}` : line
}
