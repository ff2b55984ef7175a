// How much log of a container lies on its node, and how often it was rotated (logs/container_log_manager.go: files of
// 10Mi, five of them). Pure; in figures only, logs themselves are made when somebody reads them.

import type { LogLine } from '../workload/workload.ts'

const fileBytes = 10 * 1024 ** 2
const mostFiles = 5
/** Time, stream and tag before each line. */
const prefixBytes = 42

export interface LogFigures {
  readonly bytes: number
  readonly rotations: number
}

/** So many seconds after the container's start. */
export function logFigures(lines: readonly LogLine[] | undefined, seconds: number): LogFigures {
  let written = 0
  for (const { afterSeconds, everySeconds, text } of lines ?? []) {
    if (seconds < afterSeconds) continue
    const again =
      everySeconds === undefined || everySeconds <= 0 ? 0 : Math.floor((seconds - afterSeconds) / everySeconds)
    written += (1 + again) * (text.length + prefixBytes)
  }
  const rotations = Math.floor(written / fileBytes)
  const kept = Math.min(rotations, mostFiles - 1)
  return { bytes: written - (rotations - kept) * fileBytes, rotations }
}
