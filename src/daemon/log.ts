// Where a daemon's log goes: everything as JSON lines to `<data-dir>/daemon.log`, and errors as plain lines to the
// terminal. The file of the run before is kept once beside it when it has grown large.

import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { jsonLog, type Log, type LogFields } from '#world'

const largeBytes = 16 * 1024 * 1024

export interface DaemonLog {
  readonly log: Log
  readonly file: string
}

/** `now` is world time for the stamps; `warn` prints one line for the person at the terminal. */
export function openLog(dataDir: string, now: () => number, warn: (line: string) => void): DaemonLog {
  const file = join(dataDir, 'daemon.log')
  putAside(file)
  const destination = pino.destination({ dest: file, mode: 0o600, sync: true })
  return { file, log: withErrorsTo(jsonLog({ now, destination }), warn) }
}

function putAside(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > largeBytes) renameSync(file, `${file}.1`)
}

function withErrorsTo(log: Log, warn: (line: string) => void): Log {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => log.warn(message, fields),
    error: (message, fields) => {
      log.error(message, fields)
      warn(line(message, fields))
    },
    with: (fields) => withErrorsTo(log.with(fields), warn),
  }
}

function line(message: string, fields: LogFields = {}): string {
  const error = fields['error']
  return error === undefined ? message : `${message}: ${String(error).split('\n')[0]}`
}
