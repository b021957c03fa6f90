/** How many opening braces are tried: prose may hold braces of its own, but not without end. */
const MAX_OPENINGS = 20

type Fields = Readonly<Record<string, unknown>>

/**
 * The first JSON object in a text that `willDo` accepts, with any text around it. Two slips are forgiven,
 * because models make them: a line break inside a string, and a comma before a closing bracket.
 */
export function findObject(text: string, willDo: (object: Fields) => boolean = () => true): Fields | null {
  let from = text.indexOf('{')
  for (let tries = 0; from >= 0 && tries < MAX_OPENINGS; tries++) {
    const object = parse(balanced(text, from))
    if (object !== null && willDo(object)) return object
    from = text.indexOf('{', from + 1)
  }
  return null
}

function parse(json: string | null): Fields | null {
  if (json === null) return null
  try {
    return JSON.parse(json) as Fields
  } catch {
    return null
  }
}

/** From an opening brace to the one that closes it, with the slips mended; `null`: no brace closes it. */
function balanced(text: string, from: number): string | null {
  let json = ''
  let depth = 0
  let isString = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]!
    if (isString) {
      if (character === '\\') json += character + (text[++at] ?? '')
      else if (character < ' ') json += JSON.stringify(character).slice(1, -1)
      else json += character
      if (character === '"') isString = false
      continue
    }
    if (character === ',' && /^,\s*[}\]]/.test(text.slice(at, at + 200))) continue
    json += character
    if (character === '"') isString = true
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return json
  }
  return null
}
