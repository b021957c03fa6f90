export {
  applyCalibration,
  type Calibration,
  type Calibrations,
  calibrate,
  calibratedTokens,
  calibrationOf,
  initialCalibration,
  observeUsage,
} from './calibration.ts'
export { estimateTokens } from './estimate-tokens.ts'
export { FLAT_TOKENS, MESSAGE_OVERHEAD_TOKENS } from './flat-tokens.ts'
export { measureMessage } from './measure-message.ts'
