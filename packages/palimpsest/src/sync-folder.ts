import { open } from 'node:fs/promises'

/** What was made, moved or removed in it stays so after a power cut. Not every system can. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {}
}
