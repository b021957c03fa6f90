import { InvalidArgumentError, InvalidSettingsError, type SettingsProblem } from 'palimpsest/internals/errors'
import {
  type Parameter,
  PRESET_NAMES,
  PRESETS,
  type PresetName,
  presetFromSettings,
} from 'palimpsest/internals/policy/index'
import type { Run, Sweep, SweepPoint } from './comparison.ts'
import type { Candidate } from './replay/replay.ts'
import { countFolds } from './report/count-folds.ts'

/** A setting of a preset with the values to try. */
export interface SweptSetting {
  readonly name: string
  readonly values: readonly number[]
}

export interface SweptCandidate {
  readonly values: Readonly<Record<string, number>>
  readonly candidate: Candidate
}

const SWEEP_RULE =
  'numbers, as name=FROM..TO, name=FROM..TO:STEP or name=A,B,C: fullContextTurns=2..12, idleSec=0,300,3600'
const MAX_POINTS = 200
const MAX_SETTINGS = 2
/** A range up to this value holds shares, so its default step is a tenth. */
const LARGEST_SHARE = 1

/** Reads `fullContextTurns=2..12`, `lowWater=0.1..0.9:0.2` or `idleSec=0,300,3600`. */
export function readSweep(text: string): SweptSetting {
  const fail = (allowed: string) => new InvalidArgumentError('--sweep', text, allowed)
  const [, name = '', given = ''] = /^([^=]*)=(.*)$/s.exec(text)?.map(part => part.trim()) ?? []
  const range = /^(-?[\d.]+)\.\.(-?[\d.]+)(?::([\d.]+))?$/.exec(given)
  if (range) {
    const [from, to] = [Number(range[1]), Number(range[2])]
    const step = range[3] === undefined ? (to <= LARGEST_SHARE ? 0.1 : 1) : Number(range[3])
    if (name === '' || !Number.isFinite(from) || !Number.isFinite(to) || !(step > 0)) throw fail(SWEEP_RULE)
    if (to < from) throw fail(`the lower value first: ${name}=${to}..${from}`)
    const count = countOf(from, to, step)
    if (count <= MAX_POINTS) return { name, values: valuesOf(from, step, count) }
    throw fail(
      `at most ${MAX_POINTS} values, not ${count}; take larger steps: ${name}=${from}..${to}:${largerStep(from, to)}`,
    )
  }
  const values = given.split(',').map(value => (value.trim() === '' ? Number.NaN : Number(value)))
  if (name === '' || !values.every(Number.isFinite)) throw fail(SWEEP_RULE)
  return { name, values: [...new Set(values)] }
}

function countOf(from: number, to: number, step: number): number {
  return Math.floor((to - from) / step + 1e-9) + 1
}

/** Rounds each value, since tenths do not add up exactly. */
function valuesOf(from: number, step: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Number((from + index * step).toFixed(9)))
}

/** A step of 1, 2 or 5 times a power of ten that makes about ten to twenty steps. */
function largerStep(from: number, to: number): number {
  const least = (to - from) / 20
  const power = 10 ** Math.floor(Math.log10(least))
  return Number((power * ([1, 2, 5].find(factor => factor * power >= least) ?? 10)).toPrecision(1))
}

/**
 * Every combination of the values, on top of the candidate's own settings. An error names the values that the
 * preset does not allow.
 */
export function sweptCandidates(
  { policy, settings }: Candidate,
  sweep: readonly SweptSetting[],
): readonly SweptCandidate[] {
  const preset = policy.name as PresetName
  if (!PRESET_NAMES.includes(preset))
    throw new InvalidArgumentError('--sweep', policy.name, `a preset: ${PRESET_NAMES.join(', ')}`)
  const known = numericSettings(preset)
  const unknown = sweep.find(({ name }) => !known.includes(name))
  if (unknown)
    throw new InvalidArgumentError(
      '--sweep',
      unknown.name,
      `a setting of ${preset} that is a number: ${known.join(', ')}`,
    )
  const names = sweep.map(({ name }) => name)
  if (sweep.length > MAX_SETTINGS || new Set(names).size < sweep.length)
    throw new InvalidArgumentError('--sweep', names.join(', '), 'one or two settings, each once')
  const count = sweep.reduce((product, { values }) => product * values.length, 1)
  if (count > MAX_POINTS)
    throw new InvalidArgumentError('--sweep', `${count} combinations`, `at most ${MAX_POINTS}`)
  const points = sweep.reduce<Record<string, number>[]>(
    (points, { name, values }) => points.flatMap(point => values.map(value => ({ ...point, [name]: value }))),
    [{}],
  )
  checkAllowed(preset, settings, points)
  return points.map(values => ({
    values,
    candidate: {
      name: `${preset} ${nameOf(values)}`,
      policy: presetFromSettings(preset, { ...settings, ...values }),
      settings: { ...settings, ...values },
    },
  }))
}

function numericSettings(preset: PresetName): readonly string[] {
  return Object.entries<Parameter>(PRESETS[preset]).flatMap(([name, { oneOf }]) => (oneOf ? [] : [name]))
}

/** Reports all problems at once, and each only once, even if many combinations have it. */
function checkAllowed(
  preset: PresetName,
  settings: Candidate['settings'],
  points: readonly Readonly<Record<string, number>>[],
): void {
  const problems = new Map<string, SettingsProblem>()
  for (const values of points)
    try {
      presetFromSettings(preset, { ...settings, ...values })
    } catch (error) {
      if (!(error instanceof InvalidSettingsError)) throw error
      for (const problem of error.details.problems) problems.set(JSON.stringify(problem), problem)
    }
  if (problems.size > 0) throw new InvalidSettingsError([...problems.values()])
}

/** Writes `fullContextTurns=4 cachedContextTurns=3`. */
export function nameOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

/**
 * A point that costs at most this share more than the best is as good: prices and transcripts are not known
 * more exactly.
 */
const FLAT_WITHIN = 0.05

export function sweepOf(policy: string, swept: readonly SweptCandidate[], runs: readonly Run[]): Sweep {
  const points: readonly SweepPoint[] = swept.map(({ values }, index) => {
    const { cost, tokens } = runs[index]!
    const { meanContext, peakContext } = tokens
    return { values, money: cost.total, meanContext, peakContext, folds: countFolds(runs[index]!) }
  })
  const best = points.reduce((best, point) => (point.money < best.money ? point : best))
  return {
    policy,
    settings: Object.keys(best.values),
    points,
    best,
    flat: {
      within: FLAT_WITHIN,
      points: points.filter(({ money }) => money <= best.money * (1 + FLAT_WITHIN)),
    },
  }
}
