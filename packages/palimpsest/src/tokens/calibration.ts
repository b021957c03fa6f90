/** How a model's own count relates to the estimate: reported ≈ ratio × estimated. Plain JSON, kept per model. */
export type Calibration = { readonly ratio: number; readonly samples: number }

export const initialCalibration: Calibration = { ratio: 1, samples: 0 }

const MINIMUM_TOKENS = 50
const LOWEST_RATIO = 0.5
const HIGHEST_RATIO = 2
const SETTLED_SAMPLES = 3
const LARGEST_DEVIATION = 0.3
const SMALLEST_SHARE = 0.1

/**
 * Takes in one usage report. If the report is of no use, it returns the same calibration.
 *
 * The first samples count equally, later ones a tenth each, so that the ratio follows a model that changes. A
 * report outside [0.5, 2] belongs to something other than the estimated text (an image, a cached prefix that
 * was left out, another request), and a report of few tokens is mostly overhead. Both are dropped. After
 * three samples, each one counts as if it deviated by at most 30%. So one odd report moves the ratio by at
 * most 7.5%, and by 3% from the tenth on. Yet a lasting change is followed to its end, and rejected samples
 * need no count.
 */
export function calibrate(
  calibration: Calibration,
  { estimated, reported }: { estimated: number; reported: number },
): Calibration {
  if (!(estimated >= MINIMUM_TOKENS) || !(reported > 0)) return calibration
  const observed = reported / estimated
  // Infinity and NaN fail this comparison too.
  if (!(observed >= LOWEST_RATIO && observed <= HIGHEST_RATIO)) return calibration

  const { ratio, samples } = calibration
  const deviation = samples < SETTLED_SAMPLES ? Number.POSITIVE_INFINITY : LARGEST_DEVIATION * ratio
  const damped = Math.min(Math.max(observed, ratio - deviation), ratio + deviation)
  const share = Math.max(1 / (samples + 1), SMALLEST_SHARE)
  return { ratio: ratio + share * (damped - ratio), samples: samples + 1 }
}

/** Rounds up: running out of context costs more than one unused token. */
export function applyCalibration(calibration: Calibration, estimated: number): number {
  // 100 × 1.1 is a hair above 110 in floating point, which is no reason for a 111th token.
  return Math.max(0, Math.ceil(estimated * calibration.ratio - 1e-6))
}

/** One calibration for each model, by name, since each model has its own tokenizer. */
export type Calibrations = Readonly<Record<string, Calibration>>

/**
 * Without a report, the estimate stays as it is. A model may be called `constructor`, so only own keys count.
 */
export function calibrationOf(calibrations: Calibrations, model: string): Calibration {
  return Object.hasOwn(calibrations, model) ? calibrations[model]! : initialCalibration
}

export function observeUsage(
  calibrations: Calibrations,
  model: string,
  usage: { estimated: number; reported: number },
): Calibrations {
  return { ...calibrations, [model]: calibrate(calibrationOf(calibrations, model), usage) }
}

export function calibratedTokens(calibrations: Calibrations, model: string, estimated: number): number {
  return applyCalibration(calibrationOf(calibrations, model), estimated)
}
