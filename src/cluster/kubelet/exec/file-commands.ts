// Commands that look at folders and change files.

import { posix } from 'node:path'
import { type Command, complain, flagsOf, type Process, resolved } from './process.ts'
import { readAll } from './streams.ts'

async function ls(process: Process): Promise<number> {
  const { flags, rest } = flagsOf(process.args)
  const { files } = process.around
  const paths = rest.length === 0 ? ['.'] : rest
  let code = 0
  const show = async (folder: string, names: readonly string[]): Promise<void> => {
    for (const name of names)
      await process.stdout.write(
        flags.has('l') ? `${longLine(process, posix.join(folder, name), name)}\n` : `${name}\n`,
      )
  }
  for (const path of paths) {
    const whole = resolved(process, path)
    const names = files.isFolder(whole) && !flags.has('d') ? files.list(whole) : undefined
    if (names === undefined) {
      if (files.exists(whole)) await show('/', [path])
      else code = await complain(process, `${path}: No such file or directory`, 1)
      continue
    }
    if (paths.length > 1) await process.stdout.write(`${path}:\n`)
    await show(whole, flags.has('a') || flags.has('A') ? names : names.filter((name) => !name.startsWith('.')))
  }
  return code
}

function longLine(process: Process, whole: string, name: string): string {
  const { files, now } = process.around
  const path = name.startsWith('/') ? name : whole
  const folder = files.isFolder(path)
  const size = files.read(path)?.length ?? 4096
  const when = new Date(now()).toISOString()
  const mode = folder ? 'drwxr-xr-x' : '-rw-r--r--'
  return `${mode}    ${folder ? 2 : 1} root     root     ${String(size).padStart(9)} ${when.slice(0, 10)} ${when.slice(11, 16)} ${name}`
}

/** Does one thing to each path; complains of those that it could not be done to. */
const toEach =
  (what: string, act: (process: Process, path: string, flags: ReadonlySet<string>) => string | undefined): Command =>
  async (process) => {
    const { flags, rest } = flagsOf(process.args)
    if (rest.length === 0) return complain(process, 'missing operand')
    let code = 0
    for (const path of rest) {
      const fault = act(process, resolved(process, path), flags)
      if (fault !== undefined) code = await complain(process, `${what} '${path}': ${fault}`)
    }
    return code
  }

const mkdir = toEach("can't create directory", ({ around: { files } }, path, flags) => {
  if (!flags.has('p')) return files.makeFolder(path)
  let made = ''
  for (const part of path.split('/').slice(1)) {
    made += `/${part}`
    if (files.isFolder(made)) continue
    const fault = files.makeFolder(made)
    if (fault !== undefined) return fault
  }
  return undefined
})

const touch = toEach("can't touch", ({ around: { files } }, path) =>
  files.exists(path) ? undefined : files.write(path, Buffer.alloc(0)),
)

const rm = toEach("can't remove", ({ around: { files } }, path, flags) => {
  if (!files.exists(path)) return flags.has('f') ? undefined : 'No such file or directory'
  if (files.isFolder(path) && !flags.has('r') && !flags.has('R')) return 'Is a directory'
  return files.remove(path)
})

async function tee(process: Process): Promise<number> {
  const { flags, rest } = flagsOf(process.args)
  const content = await readAll(process.stdin)
  await process.stdout.write(content)
  let code = 0
  for (const path of rest) {
    const whole = resolved(process, path)
    const before = flags.has('a') ? (process.around.files.read(whole) ?? Buffer.alloc(0)) : Buffer.alloc(0)
    const fault = process.around.files.write(whole, Buffer.concat([before, content]))
    if (fault !== undefined) code = await complain(process, `${path}: ${fault}`)
  }
  return code
}

export const filePrograms: Readonly<Record<string, Command>> = { ls, mkdir, rm, tee, touch }
