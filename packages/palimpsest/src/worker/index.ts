export { type DeadFold, type QueueReport, replayDead, reportQueue } from './queue-report.ts'
export { FoldWorker, type WorkerOptions } from './worker.ts'
