// Which config management plug-ins may run: those of a file that whoever starts it names.

import { commandsOf, findProgram, type Plugin, readPlugins } from '#gitops'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { readOptionFile } from './audit-options.ts'

/** Programs that are not there are told now, not when an Application needs them. */
export function pluginsIn(terminal: Terminal, file: string | undefined): readonly Plugin[] {
  if (file === undefined) return []
  const read = readPlugins(readOptionFile(terminal, '--plugins', file))
  const missing = read.plugins.flatMap((plugin) =>
    commandsOf(plugin).flatMap(({ field, words: [program = ''] }) =>
      findProgram(program, terminal.env['PATH']) === undefined
        ? [`${plugin.name}: ${field}: ${program} is neither on PATH nor the whole path of a program`]
        : [],
    ),
  )
  const faults = [...read.faults, ...missing]
  if (faults.length > 0)
    throw new CommandError(faults.map((fault) => `--plugins ${file}: ${fault}`).join('\n'), exitCode.usage)
  return read.plugins
}
