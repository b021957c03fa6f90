/**
 * Figures for what cannot be estimated from text. An image of about a megapixel costs 765 tokens with GPT-4o
 * and about 1,400 with Claude (width × height / 750). A page of a PDF costs 1,500 to 3,000 with Claude.
 */
export const FLAT_TOKENS = { image: 1_200, file: 2_000 } as const

/** The role and the delimiters around each message. Public chat formats use three to four tokens. */
export const MESSAGE_OVERHEAD_TOKENS = 4
