// `homeostat demo`: `up` on a repository of examples that is yours to change, and three things to try.

import { relative } from 'node:path'
import type { CommandDefinition } from '../command.ts'
import { dataDirOf } from '../connect.ts'
import { CommandError, exitCode } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { announce, serve } from './up.ts'
import { addUpOptions, type UpFlags } from './up-options.ts'

async function suggestionFor(terminal: Terminal, repository: string): Promise<string> {
  const { nextRollout } = await import('./demo-repo.ts')
  const next = await nextRollout(repository)
  const below = relative(terminal.cwd, repository) || '.'
  const here = below.startsWith('..') ? repository : below
  const edit =
    next === undefined
      ? []
      : [
          `  cd ${here} && sed -i.bak 's/${next.from}/${next.to}/' ${next.file} && git commit -am "Roll out ${next.to}"`,
          '                                                                   a commit rolls out',
        ]
  return `
Try these in another terminal and watch the dashboard:
  kubectl delete pod -n shop -l app.kubernetes.io/name=frontend    the loops replace what is missing
  kubectl scale -n shop deployment/frontend --replicas=9           drift is shown, then undone
${edit.join('\n')}
`
}

export const demoCommand: CommandDefinition = (program, { terminal, action }) => {
  addUpOptions(
    program.command('demo').description('run everything on a repository of examples that you can change'),
  ).action(
    action(async (flags: UpFlags) => {
      const dataDir = dataDirOf(terminal, flags.dataDir)
      const { makeDemoRepo } = await import('./demo-repo.ts')
      const repository = await makeDemoRepo(dataDir).catch((cause: Error) => {
        throw new CommandError(`cannot make the demo repository in ${dataDir}: ${cause.message}`, exitCode.failed, {
          cause,
        })
      })
      const { daemonOptions } = await import('./daemon-options.ts')
      const options = daemonOptions(terminal, { ...flags, path: flags.path ?? 'apps' }, repository)
      const suggestion = await suggestionFor(terminal, repository)
      await serve(terminal, options, (addresses) => {
        announce(terminal, addresses)
        terminal.out(suggestion)
      })
      return exitCode.ok
    }),
  )
}
