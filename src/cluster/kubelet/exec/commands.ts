// The commands that a simulated container knows: one line each. Enough to look around in it, and to copy files.

import { nameOfUser } from '../containers/users.ts'
import { filePrograms } from './file-commands.ts'
import { type Command, complain, flagsOf, type Process, resolved } from './process.ts'
import { tar } from './tar-command.ts'
import { textPrograms } from './text-commands.ts'

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

async function sleep(process: Process): Promise<number> {
  const [, ...times] = process.args
  if (times.length === 0) return complain(process, 'missing operand')
  let seconds = 0
  for (const time of times) {
    const match = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(time)
    if (match === null && !/^inf/.test(time)) return complain(process, `invalid time interval '${time}'`)
    seconds += match === null ? 1e9 : Number(match[1]) * (units[match[2] ?? ''] ?? 1)
  }
  await process.around.sleep(seconds * 1000, process.signal)
  return 0
}

async function env(process: Process): Promise<number> {
  const { state, stdout } = process
  for (const [name, value] of state.env) await stdout.write(`${name}=${value}\n`)
  return 0
}

async function printenv(process: Process): Promise<number> {
  const names = process.args.slice(1)
  if (names.length === 0) return env(process)
  let code = 0
  for (const name of names) {
    const value = process.state.env.get(name)
    if (value === undefined) code = 1
    else await process.stdout.write(`${value}\n`)
  }
  return code
}

async function id(process: Process): Promise<number> {
  const { flags } = flagsOf(process.args)
  const { uid, gid, groups } = process.around.user
  const named = (number: number): string => (number === 0 ? '0(root)' : String(number))
  const text = flags.has('u')
    ? flags.has('n')
      ? nameOfUser(uid)
      : String(uid)
    : flags.has('g')
      ? String(gid)
      : `uid=${named(uid)} gid=${named(gid)} groups=${groups.map(named).join(',')}`
  await process.stdout.write(`${text}\n`)
  return 0
}

async function whoami(process: Process): Promise<number> {
  const { uid } = process.around.user
  if (uid !== 0) return complain(process, `cannot find name for user ID ${uid}`)
  await process.stdout.write(`${nameOfUser(uid)}\n`)
  return 0
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

async function date(process: Process): Promise<number> {
  const now = new Date(process.around.now())
  const iso = now.toISOString()
  const [day, month] = [days[now.getUTCDay()] ?? '', months[now.getUTCMonth()] ?? '']
  const parts: Readonly<Record<string, string>> = {
    Y: iso.slice(0, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    s: String(Math.floor(now.getTime() / 1000)),
    N: `${iso.slice(20, 23)}000000`,
    a: day,
    b: month,
    Z: 'UTC',
    z: '+0000',
    n: '\n',
    '%': '%',
  }
  const format = process.args.find((arg) => arg.startsWith('+'))
  const text =
    format === undefined
      ? `${day} ${month} ${String(now.getUTCDate()).padStart(2)} ${iso.slice(11, 19)} UTC ${iso.slice(0, 4)}`
      : format.slice(1).replace(/%([A-Za-z%])/g, (whole, letter: string) => parts[letter] ?? whole)
  await process.stdout.write(`${text}\n`)
  return 0
}

async function uname(process: Process): Promise<number> {
  const { flags } = flagsOf(process.args)
  const { hostname } = process.around
  const text = flags.has('a')
    ? `Linux ${hostname} 6.8.0 #1 SMP x86_64 Linux`
    : flags.has('n')
      ? hostname
      : flags.has('m')
        ? 'x86_64'
        : flags.has('r')
          ? '6.8.0'
          : 'Linux'
  await process.stdout.write(`${text}\n`)
  return 0
}

async function which(process: Process): Promise<number> {
  let code = 0
  for (const name of process.args.slice(1)) {
    if (knows(name)) await process.stdout.write(`${pathOf(name)}\n`)
    else code = 1
  }
  return code
}

async function test(process: Process): Promise<number> {
  const words = process.args.slice(1)
  if (process.args[0] === '[' && words.pop() !== ']') return complain(process, "missing ']'", 2)
  const holds = decide(process, words)
  if (holds === undefined) return complain(process, `${words[0] ?? ''}: unknown operand`, 2)
  return holds ? 0 : 1
}

function decide(process: Process, words: readonly string[]): boolean | undefined {
  const [first = '', second, third] = words
  if (first === '!') {
    const inner = decide(process, words.slice(1))
    return inner === undefined ? undefined : !inner
  }
  if (words.length <= 1) return first !== ''
  const { files } = process.around
  if (words.length === 2) {
    const path = resolved(process, second ?? '')
    const answers: Readonly<Record<string, () => boolean>> = {
      '-n': () => second !== '',
      '-z': () => second === '',
      '-e': () => files.exists(path),
      '-f': () => files.read(path) !== undefined,
      '-d': () => files.isFolder(path),
      '-r': () => files.exists(path),
      '-w': () => files.exists(path),
      '-x': () => files.exists(path),
      '-s': () => (files.read(path)?.length ?? 0) > 0,
    }
    return answers[first]?.()
  }
  const [a, b] = [Number(first), Number(third)]
  const answers: Readonly<Record<string, boolean>> = {
    '=': first === third,
    '==': first === third,
    '!=': first !== third,
    '-eq': a === b,
    '-ne': a !== b,
    '-lt': a < b,
    '-le': a <= b,
    '-gt': a > b,
    '-ge': a >= b,
  }
  return words.length === 3 ? answers[second ?? ''] : undefined
}

const print =
  (text: (process: Process) => string): Command =>
  async (process) => {
    await process.stdout.write(`${text(process)}\n`)
    return 0
  }

const programs: Readonly<Record<string, Command>> = {
  ...textPrograms,
  ...filePrograms,
  '[': test,
  date,
  env,
  false: async () => 1,
  hostname: print(({ around }) => around.hostname),
  id,
  printenv,
  pwd: print(({ state }) => state.cwd),
  sleep,
  tar,
  test,
  true: async () => 0,
  uname,
  which,
  whoami,
}

const shells = new Set(['sh', 'ash', 'bash', 'dash'])
const folders = ['/bin/', '/usr/bin/', '/usr/local/bin/', '/sbin/', '/usr/sbin/']

/** The name of a command without one of the usual folders before it. */
export function nameOf(word: string): string {
  const folder = folders.find((one) => word.startsWith(one))
  return folder === undefined ? word : word.slice(folder.length)
}

export const isShell = (word: string): boolean => shells.has(nameOf(word))
export const programOf = (word: string): Command | undefined => {
  const name = nameOf(word)
  return Object.hasOwn(programs, name) ? programs[name] : undefined
}
const knows = (word: string): boolean => isShell(word) || programOf(word) !== undefined
const pathOf = (name: string): string => (name.startsWith('/') ? name : `/bin/${name}`)
