// Tells when files below some paths change. Bursts (a commit touches several files) become one call, made in a turn of
// the world's run queue. Only used in real time.

import { watch } from 'chokidar'
import type { Cancel, World } from '#world'
import { messageOf } from './source-error.ts'

export interface FileWatch {
  readonly world: World
  readonly paths: readonly string[]
  readonly ignored?: (path: string) => boolean
  readonly changed: () => void
}

const settleMs = 30

export function watchFiles(options: FileWatch): Cancel {
  const { world, changed } = options
  let pending: Cancel | undefined
  const watcher = watch([...options.paths], {
    ignoreInitial: true,
    persistent: true,
    atomic: true,
    ...(options.ignored === undefined ? {} : { ignored: options.ignored }),
  })
  watcher.on('all', () => {
    pending ??= world.clock.after(settleMs, 'files changed', () => {
      pending = undefined
      changed()
    })
  })
  watcher.on('error', (error) =>
    world.log.warn('cannot follow files', { paths: options.paths, error: messageOf(error) }),
  )
  return () => {
    pending?.()
    void watcher.close()
  }
}
