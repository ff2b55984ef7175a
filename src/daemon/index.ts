// The long-running process: machine, doors, signals, data directory.
export { type Daemon, runDaemon, startDaemon } from './daemon.ts'
export * from './options.ts'
