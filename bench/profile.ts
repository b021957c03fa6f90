import { type Profiler, Session } from 'node:inspector/promises'

/** A function, and which part of the time was its own. */
export interface Share {
  readonly where: string
  readonly percent: number
}

/** Where the time of something goes, the largest shares first. */
export async function profile(action: () => Promise<unknown>): Promise<readonly Share[]> {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.setSamplingInterval', { interval: 100 })
  await inspector.post('Profiler.start')
  await action()
  const { profile } = await inspector.post('Profiler.stop')
  inspector.disconnect()
  return sharesOf(profile)
}

function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): readonly Share[] {
  const places = new Map(nodes.map(node => [node.id, placeOf(node)]))
  const times = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const place = places.get(id)!
    // What the profiler itself does is not the program's.
    if (place.startsWith('post node:inspector')) continue
    times.set(place, (times.get(place) ?? 0) + timeDeltas[index]!)
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0)
  return [...times]
    .map(([where, time]) => ({ where, percent: (100 * time) / all }))
    .sort((one, other) => other.percent - one.percent)
}

function placeOf({ callFrame: { functionName, url, lineNumber } }: Profiler.ProfileNode): string {
  const file = url.split('/').slice(-2).join('/')
  return `${functionName || '(anonymous)'}${file && ` ${file}:${lineNumber + 1}`}`
}
