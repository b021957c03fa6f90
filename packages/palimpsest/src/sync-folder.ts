import { open } from 'node:fs/promises'

/**
 * After this, files that were made, moved or removed in the folder stay so after a power cut. Not every
 * system can do it.
 */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {}
}
