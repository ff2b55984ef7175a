// The project's tools say what they take, and what they do not take in one line.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const timeoutMs = 60_000

/** What npm scripts run, by name: `sim: (args) => runTool('test/simulation/sweep.ts', args)`. */
const scripts = readFileSync(join(root, 'setup/run.mjs'), 'utf8')
const tools = new Map([
  ['bench', 'bench/main.ts'],
  ...[...scripts.matchAll(/'?([\w:]+)'?: \(args\) => runTool\('(test\/[^']+)'/g)].map(
    ([, name = '', file = '']) => [name, file] as const,
  ),
])

interface End {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(file: string, ...args: readonly string[]): Promise<End> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', file, ...args], { cwd: root })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done({ code, out, err }))
  })
}

it.each([
  ['what there is not', 'goldens', ['--nonsense'], "unknown option '--nonsense'"],
  [
    'what is no number',
    'goldens',
    ['--jobs', 'x'],
    "option '--jobs <count>' argument 'x' is invalid. Give a whole number from 1.",
  ],
  ['what is not a file', 'goldens', ['nowhere'], 'there is no nowhere'],
  ['a measurement that there is not', 'bench', ['nonsense'], "unknown command 'nonsense'"],
  ['an option that a measurement has not', 'bench', ['converge', '--nonsense'], "unknown option '--nonsense'"],
] as const)(
  'tells in one line of %s',
  async (_what, name, args, why) => {
    expect(await run(tools.get(name) ?? '', ...args)).toEqual({
      code: 2,
      out: '',
      err: `error: ${why}\n(add --help for what is possible)\n`,
    })
  },
  timeoutMs,
)

it.each([
  ['goldens', [], '--jobs <count>'],
  ['bench', ['converge'], '--nodes <count>'],
] as const)(
  '%s tells its options',
  async (name, args, option) => {
    const help = await run(tools.get(name) ?? '', ...args, '--help')
    expect(help).toMatchObject({ code: 0, err: '' })
    expect(help.out).toContain(`Usage: ${[name, ...args].join(' ')} `)
    expect(help.out).toContain(option)
  },
  timeoutMs,
)

it.each([...tools])('%s has its command line from here', (_name, file) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain('support/tool.ts')
})
