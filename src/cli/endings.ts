// How each command ends: what its exit codes mean, for `--help` and docs/exit-codes.md. 2 and 3 mean the same everywhere.

import type { Command } from 'commander'

export interface Ending {
  /** `app list`. */
  readonly command: string
  readonly zero: string
  /** Commands that compare or judge nothing have none. */
  readonly one?: string
}

export const two = 'the command line is wrong: an option, a value, or a file that an option names'
export const three = 'it could not be done; one line says why, and what to do'

const untilStopped = 'it was told to stop'

export const endings: readonly Ending[] = [
  { command: 'up', zero: untilStopped },
  { command: 'demo', zero: untilStopped },
  {
    command: 'check',
    zero: 'everything is Synced and Healthy',
    one: 'something is not, or did not settle',
  },
  {
    command: 'plan',
    zero: 'nothing changes, and all is in order; with --allow-changes, all will be in order',
    one: 'something changes, or will not be in order; with --allow-changes, something will not be in order',
  },
  { command: 'apiserver', zero: untilStopped },
  { command: 'dashboard', zero: 'done' },
  { command: 'app list', zero: 'all are Synced and Healthy', one: 'one is not' },
  { command: 'app get', zero: 'it is Synced and Healthy', one: 'it is not' },
  { command: 'app sync', zero: 'the operation succeeded; with --async, it was begun' },
  { command: 'app diff', zero: 'a sync would change nothing', one: 'it would change something' },
  { command: 'app history', zero: 'done' },
  { command: 'app rollback', zero: 'the operation succeeded' },
  { command: 'app wait', zero: 'what was waited for has come' },
  { command: 'app terminate-op', zero: 'done' },
  { command: 'app actions list', zero: 'done' },
  { command: 'app actions run', zero: 'every object took the action' },
  { command: 'app delete', zero: 'it is gone, or is being deleted', one: 'something made it anew' },
  { command: 'explain', zero: 'nothing waits: it is as its loop and git want it', one: 'something waits' },
  {
    command: 'route',
    zero: 'the request finds an endpoint',
    one: 'it is refused or dropped, or there is no such name',
  },
  { command: 'lab run', zero: 'all went as the file says', one: 'it differs from the file' },
  { command: 'lab list', zero: 'done' },
  { command: 'lab commands', zero: 'done' },
  { command: 'version', zero: 'done' },
]

const pathOf = (command: Command): string => {
  const above = command.parent
  return above === null || above.parent === null ? command.name() : `${pathOf(above)} ${command.name()}`
}

/** Those that do something, whose names are whole. */
export const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

/** Each says at the end of its help how it ends. */
export function tellEndings(program: Command): void {
  for (const command of leavesOf(program)) {
    const ending = endings.find((each) => each.command === pathOf(command))
    if (ending !== undefined) command.addHelpText('after', `\nExit codes:\n${linesOf(ending).join('\n')}`)
  }
}

const linesOf = ({ zero, one }: Ending): readonly string[] =>
  [[0, zero] as const, ...(one === undefined ? [] : [[1, one] as const]), [2, two] as const, [3, three] as const].map(
    ([code, meaning]) => `  ${code}  ${meaning}`,
  )

/** As docs/exit-codes.md has them. */
export const endingsTable = (): string =>
  [
    '| command | 0 | 1 |',
    '|---|---|---|',
    ...endings.map(({ command, zero, one = '' }) =>
      `| \`homeostat ${command}\` | ${zero} | ${one} |`.replace(/ {2}\|$/, ' |'),
    ),
  ].join('\n')
