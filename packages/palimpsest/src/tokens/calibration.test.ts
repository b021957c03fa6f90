import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyCalibration,
  type Calibration,
  type Calibrations,
  calibrate,
  calibratedTokens,
  initialCalibration,
  observeUsage,
} from './calibration.ts'

function calibrateAll(ratios: number[], from: Calibration = initialCalibration): Calibration {
  return ratios.reduce(
    (calibration, ratio) => calibrate(calibration, { estimated: 1_000, reported: 1_000 * ratio }),
    from,
  )
}

describe('calibrate', () => {
  it('takes the first report as it is', () => {
    expect(calibrateAll([1.4])).toEqual({ ratio: 1.4, samples: 1 })
  })

  it('converges on the mean of noisy reports', () => {
    const noisy = Array.from({ length: 60 }, (_, index) => 1.25 + (index % 2 === 0 ? 0.1 : -0.1))
    expect(calibrateAll(noisy).ratio).toBeCloseTo(1.25, 1)
  })

  it('follows a change that persists', () => {
    const before = calibrateAll(Array<number>(20).fill(0.9))
    const after = calibrateAll(Array<number>(60).fill(1.6), before)
    expect(after.ratio).toBeCloseTo(1.6, 2)
  })

  it('moves by 3% at most for one odd report, after many even ones', () => {
    const settled = calibrateAll(Array<number>(20).fill(1.1))
    expect(calibrateAll([1.9], settled).ratio / settled.ratio).toBeLessThanOrEqual(1.03 + 1e-9)
    expect(calibrateAll([0.55], settled).ratio / settled.ratio).toBeGreaterThanOrEqual(0.97 - 1e-9)
  })

  it.each([
    ['nothing estimated', { estimated: 0, reported: 100 }],
    ['too few tokens', { estimated: 49, reported: 60 }],
    ['a negative estimate', { estimated: -100, reported: 100 }],
    ['nothing reported', { estimated: 100, reported: 0 }],
    ['a negative report', { estimated: 100, reported: -100 }],
    ['a report that is no number', { estimated: 100, reported: Number.NaN }],
    ['an estimate that is no number', { estimated: Number.NaN, reported: 100 }],
    ['an infinite report', { estimated: 100, reported: Number.POSITIVE_INFINITY }],
    ['two infinities', { estimated: Number.POSITIVE_INFINITY, reported: Number.POSITIVE_INFINITY }],
    ['less than half the estimate', { estimated: 100, reported: 49 }],
    ['more than twice the estimate', { estimated: 100, reported: 201 }],
  ])('ignores %s', (_, usage) => {
    const calibration = calibrateAll([1.2, 1.2])
    expect(calibrate(calibration, usage)).toBe(calibration)
  })

  it('survives JSON', () => {
    const calibration = calibrateAll([1.2, 0.8])
    expect(JSON.parse(JSON.stringify(calibration))).toEqual(calibration)
  })

  it('keeps the ratio within its bounds whatever is reported', () => {
    const usage = fc.record({
      estimated: fc.oneof(fc.double(), fc.integer({ min: 0, max: 10_000 })),
      reported: fc.oneof(fc.double(), fc.integer({ min: 0, max: 10_000 })),
    })
    fc.assert(
      fc.property(fc.array(usage, { maxLength: 50 }), usages => {
        const { ratio, samples } = usages.reduce(calibrate, initialCalibration)
        expect(ratio).toBeGreaterThanOrEqual(0.5 - 1e-9)
        expect(ratio).toBeLessThanOrEqual(2 + 1e-9)
        expect(samples).toBeLessThanOrEqual(usages.length)
      }),
    )
  })
})

describe('applyCalibration', () => {
  it('leaves an estimate alone before anything is known', () => {
    expect(applyCalibration(initialCalibration, 137)).toBe(137)
  })

  it('rounds up, but not for an error of floating point', () => {
    expect(applyCalibration({ ratio: 1.1, samples: 5 }, 101)).toBe(112)
    expect(applyCalibration({ ratio: 1.1, samples: 5 }, 100)).toBe(110)
  })

  it('keeps nothing at nothing', () => {
    expect(applyCalibration({ ratio: 1.9, samples: 5 }, 0)).toBe(0)
  })
})

it('calibrates each model by its own reports', () => {
  let calibrations: Calibrations = {}
  for (let report = 0; report < 20; report++) {
    calibrations = observeUsage(calibrations, 'dear', { estimated: 1000, reported: 1300 })
    calibrations = observeUsage(calibrations, 'cheap', { estimated: 1000, reported: 900 })
  }
  expect(calibratedTokens(calibrations, 'dear', 1000)).toBeCloseTo(1300, -1)
  expect(calibratedTokens(calibrations, 'cheap', 1000)).toBeCloseTo(900, -1)
  expect(calibratedTokens(calibrations, 'new', 1000)).toBe(1000)
  expect(JSON.parse(JSON.stringify(calibrations))).toEqual(calibrations)
})
