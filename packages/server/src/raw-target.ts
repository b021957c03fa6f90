/** What a browser leaves out of an address before it reads it. */
const LEFT_OUT = /[\t\n\r]/g
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/\\?#]*/i
/** An encoded one is a part of an id, such as `a%2F..%2Fb`, and takes nothing along. */
const SEPARATOR = /[/\\]/

/**
 * Whether a request's target, as it came, has a part that is `.` or `..`, in any spelling. Once it is read as a URL,
 * such a part has taken the one before it along: `/v1/sessions/%2e%2e/search` is `/v1/search`, another call.
 */
export function hasDotSegment(target: string): boolean {
  const [path = ''] = target.replaceAll(LEFT_OUT, '').replace(ORIGIN, '').split(/[?#]/, 1)
  return path.split(SEPARATOR).some(part => /^\.{1,2}$/.test(part.replaceAll(/%2e/gi, '.')))
}
