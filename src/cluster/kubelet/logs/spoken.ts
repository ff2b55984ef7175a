// What a container's own command writes, and when: the shell of simulated containers runs it, in a time of its own that
// goes no further than somebody has asked for. Only where that shell knows every word of it; how long the container runs
// and how it ends is decided elsewhere (script.ts).

import { containersOf } from '../containers/containers.ts'
import { expanded } from '../containers/variables.ts'
import { isShell, programOf } from '../exec/commands.ts'
import { type ContainerSite, stateOf, surroundingsOf } from '../exec/container-view.ts'
import { type Command, type List, parse, plainText } from '../exec/parse.ts'
import type { Process } from '../exec/process.ts'
import { isBuiltIn, runShell } from '../exec/shell.ts'
import { inputOf, type Output } from '../exec/streams.ts'
import { isInteractive, isTalkedTo } from '../exec/talk.ts'
import type { Word } from '../exec/words.ts'
import { variablesIn } from '../life/pod-variables.ts'
import type { PodRun } from '../pod/pod-run.ts'
import { defaultWorkloads } from '../profiles/default-workloads.ts'

export interface SpokenLine {
  readonly at: number
  readonly text: string
}

interface Beginning {
  readonly id: string
  readonly startedAt: number
}

/** A command that sleeps more often than this between two questions has its sleep cut short. */
const mostSleeps = 10_000
const mostLines = 50_000

export class Spoken {
  readonly lines: SpokenLine[] = []
  readonly #stop = new AbortController()
  #now: number
  #until: number
  #sleeps = 0
  #rest = ''
  /** Where it waits for somebody to ask for more. */
  #parked: { readonly at: number; readonly goOn: () => void } | undefined
  #halted: () => void = () => {}

  constructor(site: ContainerSite, args: readonly string[], startedAt: number) {
    this.#now = startedAt
    this.#until = startedAt
    const output: Output = { write: async (bytes) => this.#write(String(bytes)) }
    const process: Process = {
      args,
      stdin: inputOf(Buffer.alloc(0)),
      stdout: output,
      stderr: output,
      around: {
        ...surroundingsOf(site),
        now: () => this.#now,
        sleep: (ms) => this.#sleep(ms),
      },
      state: stateOf(site),
      signal: this.#stop.signal,
    }
    const run = isShell(args[0] ?? '') ? runShell : (programOf(args[0] ?? '') ?? runShell)
    const begin = (): void => {
      void run(process)
        .catch(() => undefined)
        .then(() => this.#end())
    }
    this.#parked = { at: startedAt, goOn: begin }
  }

  isOver = false

  /** When it does something again; undefined: never. */
  get goesOnAt(): number | undefined {
    return this.#parked?.at
  }

  /** Lets it go on until this moment. */
  async upTo(moment: number): Promise<void> {
    this.#until = Math.max(this.#until, moment)
    const parked = this.#parked
    if (parked === undefined || parked.at > this.#until) return
    this.#parked = undefined
    this.#sleeps = 0
    const halted = new Promise<void>((resolve) => {
      this.#halted = resolve
    })
    parked.goOn()
    await halted
  }

  #sleep(ms: number): Promise<void> {
    this.#sleeps += 1
    const at = this.#sleeps > mostSleeps ? Math.max(this.#now + ms, this.#until + 1) : this.#now + ms
    if (at <= this.#until) {
      this.#now = at
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#now = at
        resolve()
      }
      this.#parked = { at, goOn }
      this.#halted()
    })
  }

  #write(text: string): void {
    const parts = `${this.#rest}${text}`.split('\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) this.lines.push({ at: this.#now, text: part })
    if (this.lines.length > mostLines) this.#stop.abort(new Error('too much output'))
  }

  #end(): void {
    if (this.#rest !== '') this.#write('\n')
    this.isOver = true
    this.#halted()
  }
}

/** What this container of the pod writes in the life that began then; undefined where nobody can say. */
export function spokenBy(site: Omit<ContainerSite, 'container' | 'record' | 'disk'>, name: string, life: Beginning) {
  const { run } = site
  const container = containersOf(run.pod.spec).find(({ spec }) => spec.name === name)
  const record = run.records.find(({ id }) => id === life.id)
  if (container === undefined || record === undefined || isTalkedTo(run.pod, container)) return undefined
  // A profile that says something of it has the last word.
  const { runs, logs } = run.around.workloads.container(run.pod, name)
  if (logs !== undefined || runs !== defaultWorkloads.container(run.pod, name).runs) return undefined
  const args = commandIn(run, container.spec)
  if (!isKnown(args)) return undefined
  // What it writes to files is for itself: it is run anew for each reader.
  const disk = { containers: new Map(), volumes: new Map() }
  return new Spoken({ ...site, container, record, disk }, args, life.startedAt)
}

type AnySpec = Parameters<typeof variablesIn>[1]

/** Arguments alone are a command only where the image has none of its own before them. */
function commandIn(run: PodRun, spec: AnySpec): readonly string[] {
  const { command = [], args = [], image = '' } = spec
  if (command.length === 0 && !isInteractive(image)) return []
  const variables = variablesIn(run, spec)
  return [...command, ...args].map((word) => expanded(word, variables))
}

function isKnown(args: readonly string[]): boolean {
  const [first = '', flag = '', text] = args
  if (isShell(first)) return /^-[a-z]*c$/.test(flag) && text !== undefined && isKnownText(text)
  return programOf(first) !== undefined && !follows(args)
}

/** `tail -f` never ends. */
const follows = ([name = '', ...words]: readonly string[]): boolean =>
  name.endsWith('tail') && words.some((word) => /^-\w*[fF]/.test(word))

function isKnownText(text: string): boolean {
  try {
    return isKnownList(parse(text))
  } catch {
    return false
  }
}

const isKnownList = (list: List): boolean => list.every(({ commands }) => commands.every(isKnownCommand))

function isKnownCommand(command: Command): boolean {
  if (command.kind === 'if') return [command.condition, command.then, command.otherwise].every(isKnownList)
  if (command.kind === 'while') return [command.condition, command.body].every(isKnownList)
  if (command.kind === 'for') return isKnownList(command.body) && command.words.every(isKnownWord)
  if (command.kind === 'group') return isKnownList(command.body)
  const { words, redirections } = command
  const first = words.findIndex((word) => !isAssignment(word))
  const name = words[first] === undefined ? ':' : plainText(words[first])
  if (name === undefined || !(isBuiltIn(name) || programOf(name) !== undefined)) return false
  if (follows(words.slice(Math.max(first, 0)).map((word) => plainText(word) ?? ''))) return false
  return [...words, ...redirections.map(({ to }) => to)].every(isKnownWord)
}

const isKnownWord = (word: Word): boolean =>
  word.every((segment) => segment.kind !== 'command' || isKnownText(segment.text))

const isAssignment = ([first]: Word): boolean =>
  first?.kind === 'text' && !first.quoted && /^[A-Za-z_]\w*=/.test(first.text)
