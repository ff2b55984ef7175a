// Where redirections lead: files of the container, the other stream, nowhere.

import { textOf, type WordView } from './expansion.ts'
import type { Simple } from './parse.ts'
import { type Process, resolved } from './process.ts'
import { discarded, inputOf, Kept, type Output } from './streams.ts'

interface Redirected {
  readonly streams: Partial<Pick<Process, 'stdin' | 'stdout' | 'stderr'>>
  /** Writes what was collected for files; answers why that cannot be done. */
  readonly finish: () => string | undefined
  readonly fault?: string
}

export async function redirected(list: Simple['redirections'], view: WordView): Promise<Redirected> {
  const { process: shell } = view
  const streams = { stdin: shell.stdin, stdout: shell.stdout, stderr: shell.stderr }
  const writes: (() => string | undefined)[] = []
  const { files } = shell.around
  for (const { fd, how, to } of list) {
    const target = await textOf(to, view)
    const path = resolved(shell, target)
    if (how === 'read') {
      const content = target === '/dev/null' ? Buffer.alloc(0) : files.read(path)
      if (content === undefined)
        return { streams, finish: () => undefined, fault: `can't open ${target}: no such file` }
      streams.stdin = inputOf(content)
      continue
    }
    let output: Output
    if (how === 'copy') output = target === '2' ? streams.stderr : streams.stdout
    else if (target === '/dev/null') output = discarded
    else if (target === '/dev/stderr') output = streams.stderr
    else if (target === '/dev/stdout') output = streams.stdout
    else {
      const before = how === 'append' ? (files.read(path) ?? Buffer.alloc(0)) : Buffer.alloc(0)
      const fault = files.write(path, before)
      if (fault !== undefined) return { streams, finish: () => undefined, fault: `can't create ${target}: ${fault}` }
      const kept = new Kept()
      output = kept
      writes.push(() => {
        const late = files.write(path, Buffer.concat([before, kept.bytes]))
        return late === undefined ? undefined : `write error: ${late}`
      })
    }
    if (fd === 2) streams.stderr = output
    else streams.stdout = output
  }
  return { streams, finish: () => writes.map((write) => write()).find((fault) => fault !== undefined) }
}
