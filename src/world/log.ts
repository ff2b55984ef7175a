// Logs of a world: JSON lines by pino for the daemon, a recording or silent one for simulations. Values under names that
// secrets go by are never written.

import { type DestinationStream, pino } from 'pino'
import type { Log, LogFields } from './world.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

const secretNames = [
  'token',
  'password',
  'authorization',
  'secret',
  'data',
  'stringData',
  'privateKey',
  'cookie',
  'kubeconfig',
]

export interface JsonLogOptions {
  readonly level?: LogLevel | 'silent'
  /** World time for the stamps. */
  readonly now: () => number
  /** Default: standard error, written at once. */
  readonly destination?: DestinationStream
}

/** JSON lines, stamped with world time. */
export function jsonLog(options: JsonLogOptions): Log {
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(options.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
    },
    options.destination ?? pino.destination({ fd: 2, sync: true }),
  )
  const from = (target: typeof logger): Log => ({
    debug: (message, fields = {}) => target.debug(fields, message),
    info: (message, fields = {}) => target.info(fields, message),
    warn: (message, fields = {}) => target.warn(fields, message),
    error: (message, fields = {}) => target.error(fields, message),
    with: (fields) => from(target.child(fields)),
  })
  return from(logger)
}

/** How many lines a recording log keeps; the oldest go first. */
const recordingLimit = 10_000

/** Hands every line to `write`. */
export function callbackLog(write: (line: LogLine) => void, bound: LogFields = {}): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      write({ level, message, fields: { ...bound, ...fields } })
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => callbackLog(write, { ...bound, ...fields }),
  }
}

/** Keeps its lines for tests to read. */
export function recordingLog(): { readonly log: Log; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = []
  const log = callbackLog((line) => {
    lines.push(line)
    if (lines.length > recordingLimit) lines.shift()
  })
  return { log, lines }
}

const nothing = (): void => undefined
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silentLog }
