// Time, chance and log, as values that are passed in. Nothing outside this room reads the machine's clock, sets
// timers or draws random numbers, so a whole cluster can be replayed from a seed.

/** Cancels what it stands for; harmless when that has already happened. */
export type Cancel = () => void

export interface Clock {
  /** World time in milliseconds since the Unix epoch. */
  now(): number
  /** Runs `task` once, `delayMs` of world time from now, as a task named `name` in the trace. */
  after(delayMs: number, name: string, task: () => void): Cancel
  /** Runs `task` as soon as the run queue gets to it: in order in real time, in an order drawn from the seed in virtual time. */
  soon(name: string, task: () => void): void
  /** Resolves in a turn of its own: the end of one segment of a loop and the begin of the next. */
  turn(name: string): Promise<void>
  /** Whether it is time for others: the run queue's current slice (10 ms) is over. In virtual time always. */
  givesWay(): boolean
  /**
   * What a loop awaits between two steps: undefined while the run queue's current slice (10 ms) has time left, otherwise a
   * turn. In virtual time always a turn.
   */
  breathe(name: string): Promise<void> | undefined
  /** Resolves after `delayMs` of world time; rejects with the signal's reason when it aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /**
   * Awaits work outside of the world (disk, network, a child process). In virtual time nothing else runs meanwhile
   * and the result becomes a task `delayMs` (virtual) after the call; in real time it is just awaited.
   */
  outside<T>(name: string, work: () => Promise<T>, delayMs?: number): Promise<T>
  /** In virtual time: work outside of the world is being awaited, so whoever calls in from there must be refused. */
  readonly waitsOutside: boolean
}

export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** A whole number in [0, limit). */
  int(limit: number): number
  /** A version 4 UUID. */
  uuid(): string
  /** `length` hexadecimal digits. */
  hex(length: number): string
  /** `length` characters of Kubernetes' alphabet for generated names (`bcdfghjklmnpqrstvwxz2456789`). */
  suffix(length?: number): string
  /** An independent stream, always the same for the same seed and name. */
  fork(name: string): Random
}

export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** The same log with fields that go with every line. */
  with(fields: LogFields): Log
}

export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}
