export { measureRecalled, type RecalledFigures, type RecalledReport } from './measure-recalled.ts'
