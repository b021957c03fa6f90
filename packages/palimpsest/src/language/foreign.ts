/** Links, addresses and code are Latin in every language. */
export const FOREIGN =
  /```[\s\S]*?(?:```|$)|`[^`\n]{0,200}`|\bhttps?:\/\/\S{1,500}|[\w.+-]{1,64}@[\w.-]{1,100}|\b[\w-]{1,60}(?:[._/\\-]\w{1,60})+|@\w{1,60}/g
