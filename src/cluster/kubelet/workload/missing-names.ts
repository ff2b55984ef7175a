// Names that say of themselves that there is nothing behind them, as people write them to see something fail: images, and
// the commands of containers, probes and hooks.

import { goQuote } from '../ground/go-text.ts'

const image = /(^|[-_.])(missing|non-?existent|does-?not-?exist|not-?found|no-such|broken|invalid)([-_.]|$)/i

export const saysMissing = (name: string): boolean => image.test(name)

/** Of programs only those whose name says nothing else: there are programs that look for what is missing. */
const program =
  /^(missing|non-?exist(?:ent|ing)|not-?found|no-?such|nope|bogus|.*do(?:es)?-?not-?exist)(?:-?(?:command|cmd|binary|bin|program|file|executable|exe|script|entrypoint|path|sh|py))*$/i

/** A program that no image has; what has no name is none either. */
export function isMissingProgram(name: string | undefined): boolean {
  if (name === undefined) return false
  const parts = name.replace(/[_.]/g, '-').split('/').filter(Boolean)
  return parts.length === 0 ? name === '' : [...parts, parts.join('-')].some((part) => program.test(part))
}

/** How runc says that it does not find a program. */
export const programFault = (name: string): string =>
  `exec: ${goQuote(name)}: ${name.includes('/') ? `stat ${name}: no such file or directory` : 'executable file not found in $PATH'}`

const process = 'unable to start container process'

/** The same when a container is started, and when something is run in one. `<id>` is that of the run. */
export const startFault = (name: string): string =>
  `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ${process}: ${programFault(name)}: unknown`

export const execFault = (name: string): string =>
  `rpc error: code = Unknown desc = failed to exec in container: failed to start exec "<id>": OCI runtime exec failed: exec failed: ${process}: ${programFault(name)}: unknown`
