// `homeostat lab run FILE`: runs a scenario and prints its transcript; exit code 1 when it differs from the file.

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { lineDiff } from '#insight'
import type { CommandDefinition } from '../../command.ts'
import { toolsDirectory } from '../../connect.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { whyUnread } from '../../unread.ts'

interface RunFlags {
  readonly seed?: string
  readonly rewrite?: boolean
}

export const addLabRun: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('run <file>')
    .description('run a scenario (a text transcript) and print what happens')
    .option('--seed <number>', 'another seed: another interleaving of the same story (default: 1)')
    .option('--rewrite', 'write what happened into the file')
    .action(
      action(async (file: string, { seed, rewrite }: RunFlags) => {
        const path = resolve(terminal.cwd, file)
        const text = readScenario(path, file)
        const { runScenario, ScenarioError } = await import('#lab')
        const tools = { directory: toolsDirectory(terminal), environment: terminal.env, say: terminal.err }
        const run = await runScenario(path, text, { tools, ...(seed === undefined ? {} : { seed }) }).catch(
          (cause: unknown) => {
            if (!(cause instanceof ScenarioError)) throw cause
            if (cause.transcript !== '') terminal.out(cause.transcript.trimEnd())
            throw new CommandError(cause.message, exitCode.failed, { cause })
          },
        )
        terminal.out(run.text.trimEnd())
        if (run.same) return exitCode.ok
        if (rewrite === true) {
          writeFileSync(path, run.text)
          terminal.err(`${file} rewritten`)
          return exitCode.ok
        }
        terminal.err(`this run differs from ${file} (- file, + run):`)
        terminal.err(lineDiff(text.split('\n'), run.text.split('\n')).join('\n'))
        terminal.err(`where that is right, ${file} takes it over: homeostat lab run ${file} --rewrite`)
        return exitCode.differs
      }),
    )
}

function readScenario(path: string, file: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isFolder = (cause as NodeJS.ErrnoException).code === 'EISDIR'
    const advice = isFolder ? `: name one of the files that homeostat lab list ${file} lists` : ''
    throw new CommandError(`cannot read ${file}: ${whyUnread(cause)}${advice}`, exitCode.failed, { cause })
  }
}
