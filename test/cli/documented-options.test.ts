// Documents and command line say the same: each table of options names what there is, and nothing else.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'

const program = new Command()
const nobody = { out: () => {}, err: () => {}, interactive: false, env: {}, cwd: '/' }
for (const add of commands) add(program, { terminal: nobody, action: () => async () => {} })

function* all(command: Command): Generator<Command> {
  for (const each of command.commands) {
    yield each
    yield* all(each)
  }
}

const named = (name: string): Command => {
  const found = program.commands.find((command) => command.name() === name)
  if (found === undefined) throw new Error(`there is no command ${name}`)
  return found
}
const optionsOf = (name: string): readonly string[] => named(name).options.map(({ long }) => long ?? '')
const text = (file: string): string => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')
const optionsIn = (part: string): readonly string[] =>
  [...part.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)

/** The first column of the first table that begins after `mark`. */
function table(file: string, mark: string): readonly string[] {
  const after = text(file).split(mark)[1] ?? ''
  const rows = after.slice(after.indexOf('\n|')).trim().split('\n\n')[0]?.split('\n') ?? []
  return rows.flatMap((row) => optionsIn(row.split(' | ')[0] ?? ''))
}

describe('options', () => {
  it.each([
    ['up', 'README.md', 'Options of `up` and `demo`:'],
    ['demo', 'README.md', 'Options of `up` and `demo`:'],
    ['apiserver', 'docs/apiserver.md', '# An API server for the tests of your controllers'],
  ])('of %s are those of the table in %s', (command, file, mark) => {
    // `-o` is called by its short name.
    const options = optionsOf(command).filter((option) => option !== '--output')
    expect([...table(file, mark)].sort()).toEqual([...options].sort())
  })

  it.each(['check', 'plan'])('of %s are told in docs/plan.md', (command) => {
    const told = new Set(optionsIn(text('docs/plan.md')))
    expect(optionsOf(command).filter((option) => option !== '--output' && !told.has(option))).toEqual([])
  })

  it('are all in --help, with words', () => {
    for (const command of all(program))
      for (const option of command.options) {
        expect(option.hidden, `${command.name()} ${option.flags}`).toBe(false)
        expect(command.helpInformation()).toContain(option.flags)
        expect(option.description, `${command.name()} ${option.flags}`).not.toBe('')
      }
  })

  it('of command lines in documents are there', () => {
    const there = new Set([...all(program)].flatMap(({ options }) => options.map(({ long }) => long ?? '')))
    const docs = readdirSync(resolve(import.meta.dirname, '../../docs')).filter((name) => name.endsWith('.md'))
    const files = ['README.md', ...docs.map((name) => `docs/${name}`)]
    const words = files.flatMap((file) =>
      [...text(file).matchAll(/(?:^ {4}|`)(?:node bin\/homeostat\.mjs|homeostat) [^`\n#|]*/gm)].flatMap(([line]) =>
        optionsIn(line).map((option) => `${file}: ${option}`),
      ),
    )
    expect(words.length).toBeGreaterThan(20)
    expect(words.filter((word) => !there.has(word.split(': ')[1] ?? '') && !word.endsWith('--help'))).toEqual([])
  })
})
