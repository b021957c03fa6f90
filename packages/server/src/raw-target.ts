/** The characters that a URL parser removes from an address before it reads it. */
const LEFT_OUT = /[\t\n\r]/g
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/\\?#]*/i
/**
 * A separator. An encoded one does not count: it is part of an id, as in `a%2F..%2Fb`, and removes nothing.
 */
const SEPARATOR = /[/\\]/

/**
 * Whether the target of a request, as it arrived, has a part that is `.` or `..`, in any spelling. A URL
 * parser removes `..` together with the part before it: `/v1/sessions/%2e%2e/search` becomes `/v1/search`,
 * which is another call.
 */
export function hasDotSegment(target: string): boolean {
  const [path = ''] = target.replaceAll(LEFT_OUT, '').replace(ORIGIN, '').split(/[?#]/, 1)
  return path.split(SEPARATOR).some(part => /^\.{1,2}$/.test(part.replaceAll(/%2e/gi, '.')))
}
