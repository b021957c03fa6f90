/**
 * What can't be estimated from text. An image of about a megapixel costs 765 tokens with GPT-4o and about
 * 1,400 with Claude (width × height / 750); a page of a PDF, 1,500 to 3,000 with Claude.
 */
export const FLAT_TOKENS = { image: 1_200, file: 2_000 } as const

/** The role and the delimiters around each message: three to four tokens in the chat formats that are public. */
export const MESSAGE_OVERHEAD_TOKENS = 4
