const OVERFLOW =
  /context[ _-]?(?:length|window|size)|maximum (?:context|prompt|input)|(?:prompt|input|request|messages?)\b[^.]{0,40}\btoo (?:long|large|many tokens)|too many (?:input )?tokens|exceeds? (?:the )?[^.]{0,40}\b(?:token|context)|n_ctx/i

/** Providers have no common code for an overflow, so it is known by the words. */
export function saysOverflow(text: string): boolean {
  return OVERFLOW.test(text)
}
