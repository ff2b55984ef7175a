// The long-running process: machine, doors, signals, data directory.
// `runDaemon(options, onReady)` resolves after a clean stop and rejects with DaemonError when it cannot start.
export { type Daemon, startDaemon } from './daemon.ts'
export * from './options.ts'
export { runDaemon } from './run.ts'
