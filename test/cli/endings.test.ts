// Exit codes are told in one table: it names every command, and help and documentation say what it says.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { exitCode, runCli } from '#cli'
import { commands } from '../../src/cli/commands/index.ts'
import { endings, endingsTable, leavesOf, three, two } from '../../src/cli/endings.ts'
import { runIn } from './rehearsal.ts'

const text = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

it('has every command, and no other', () => {
  const program = new Command('homeostat')
  const terminal = { out: () => {}, err: () => {}, interactive: false, env: {}, cwd: '/' }
  for (const add of commands) add(program, { terminal, action: () => async () => {} })
  const pathOf = (command: Command): string =>
    command.parent === null || command.parent === program
      ? command.name()
      : `${pathOf(command.parent)} ${command.name()}`
  expect(endings.map(({ command }) => command)).toEqual(leavesOf(program).map(pathOf))
})

it('is what docs/exit-codes.md says', () => {
  const document = text('docs/exit-codes.md')
  for (const part of [endingsTable(), `| 2 | ${two} |`, `| 3 | ${three} |`]) expect(document).toContain(part)
})

it('is what --help says', async () => {
  expect((await runIn('/', '--help')).out).toContain(`  2  ${two}`)
  for (const { command, zero, one } of endings) {
    const { out, code } = await runIn('/', ...command.split(' '), '--help')
    expect(code).toBe(0)
    expect(out).toContain(
      `Exit codes:\n  0  ${zero}\n${one === undefined ? '' : `  1  ${one}\n`}  2  ${two}\n  3  ${three}`,
    )
  }
})

it('has 3 for what nobody foresaw, which is told as a fault of Homeostat', async () => {
  const errors: string[] = []
  const broken = (): never => {
    throw new TypeError('nothing is printed here')
  }
  const terminal = { out: broken, err: (text: string) => errors.push(text), interactive: false, env: {}, cwd: '/' }
  expect(await runCli(['version', '-o', 'json'], terminal)).toBe(exitCode.failed)
  expect(errors).toEqual([
    expect.stringMatching(/^homeostat: this is a fault of Homeostat, .*: TypeError: nothing is printed here\n/),
  ])
})
