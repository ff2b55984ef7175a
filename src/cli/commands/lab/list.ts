// `homeostat lab list [FOLDER]`: the scenarios of a folder, each with the sentence that it begins with.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CommandDefinition } from '../../command.ts'
import { CommandError, exitCode } from '../../exit-code.ts'
import { whyUnread } from '../../unread.ts'

const usualFolder = 'test/scenarios'

export const addLabList: CommandDefinition = (program, { terminal, action }) => {
  program
    .command('list [folder]')
    .description(`list the scenarios (*.txt) of a folder (default: ${usualFolder}) and what each is about`)
    .action(
      action(async (folder: string = usualFolder) => {
        const names = scenariosIn(resolve(terminal.cwd, folder), folder)
        if (names.length === 0) throw new CommandError(`there are no scenarios (*.txt) in ${folder}`, exitCode.failed)
        const paths = names.map((name) => join(folder, name))
        const width = Math.max(...paths.map((path) => path.length))
        for (const path of paths) {
          const text = readFileSync(resolve(terminal.cwd, path), 'utf8')
          terminal.out(`${path.padEnd(width)}  ${firstSentence(text)}`.trimEnd())
        }
        return exitCode.ok
      }),
    )
}

function scenariosIn(path: string, folder: string): readonly string[] {
  try {
    return readdirSync(path)
      .filter((name) => name.endsWith('.txt'))
      .sort()
  } catch (cause) {
    throw new CommandError(`cannot read ${folder}: ${whyUnread(cause)}`, exitCode.failed, { cause })
  }
}

/** Of the comment at the top. */
function firstSentence(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('#'))
  const comment = lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => line.slice(1).trim())
    .join(' ')
  return /^.*?[.:](?=\s|$)/.exec(comment)?.[0].replace(/:$/, '.') ?? comment
}
