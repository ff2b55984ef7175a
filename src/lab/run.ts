// Runs a scenario: one lab, one step after the other, and what they print. What the API server refuses is output, as it is
// in a terminal; what is wrong with the scenario itself is a ScenarioError.

import { dirname } from 'node:path'
import { ApiError } from '#api'
import { commands } from './commands/index.ts'
import { parseDuration } from './duration.ts'
import { createLab, type Lab, type LabPlan, type LabTools } from './lab.ts'
import { planOf } from './plan.ts'
import { type Call, parseScenario, printScenario, type Scenario } from './scenario.ts'
import { ScenarioError, UsageError } from './scenario-error.ts'
import { checkOptions, parseWords } from './words.ts'

export interface ScenarioRun {
  /** The whole transcript as this run wrote it. */
  readonly text: string
  /** Whether that is what the file says. */
  readonly same: boolean
  readonly virtualMs: number
}

export interface RunScenarioOptions {
  readonly seed?: string | number
  readonly tools?: LabTools
}

/** The seed of the transcripts in test/scenarios. */
export const scenarioSeed = 1

/** Runs the transcript `text` of `file`. The same text and seed give the same run. */
export async function runScenario(file: string, text: string, options: RunScenarioOptions = {}): Promise<ScenarioRun> {
  const scenario = parseScenario(file, text)
  if (scenario.steps.length === 0) throw new ScenarioError(file, 1, 'there is no command in this file')
  const { seed = scenarioSeed, tools } = options
  const plan = { ...planFor(scenario), ...(tools === undefined ? {} : { tools }) }
  const lab = await createLab(plan, seed, dirname(file))
  try {
    const startedAt = lab.world.clock.now()
    const outputs = await performAll(lab, scenario)
    const written = printScenario(scenario, outputs)
    return { text: written, same: written === text, virtualMs: lab.world.clock.now() - startedAt }
  } finally {
    await lab.stop()
  }
}

async function performAll(lab: Lab, { steps, file }: Scenario): Promise<readonly (readonly string[])[]> {
  const outputs: string[][] = []
  try {
    for (const { calls } of steps) {
      const output: string[] = []
      outputs.push(output)
      for (const call of calls) output.push(...(await perform(lab, call, file)))
    }
  } catch (error) {
    const told = steps.slice(0, outputs.length)
    if (error instanceof ScenarioError) error.transcript = printScenario({ file, steps: told, tail: [] }, outputs)
    throw error
  }
  return outputs
}

const commandName = ({ text }: Call): string => text.split(/\s/, 1)[0] ?? ''

function planFor({ steps, file }: Scenario): LabPlan {
  const calls = steps.flatMap((step) => step.calls)
  const first = calls[0]
  return at(file, first, () =>
    planOf(first !== undefined && commandName(first) === 'cluster' ? parseWords(first.text) : undefined, {
      repository: calls.some((call) => commandName(call) === 'commit'),
      folder: dirname(file),
    }),
  )
}

async function perform(lab: Lab, call: Call, file: string): Promise<readonly string[]> {
  const name = commandName(call)
  const command = commands.find((known) => known.name === name)
  if (command === undefined) {
    const all = commands.map((known) => known.name).join(', ')
    throw new ScenarioError(file, call.line, `there is no command ${name}: use one of ${all}`)
  }
  const lines: string[] = []
  try {
    const { words, options } = parseWords(call.text)
    checkOptions(options, command.usage)
    lines.push(...(await repeated(lab, options, () => command.run(lab, { words, options, body: call.body }))))
  } catch (error) {
    if (error instanceof ApiError) lines.push(refusal(error))
    else throw located(error, call, file, command.usage)
  }
  return [...lab.takeNotes(), ...lines]
    .flatMap((line) => line.split('\n'))
    .filter((line) => line.trim() !== '')
    .map((line) => lab.names.show(line).trimEnd())
}

/** With `--every=DURATION --for=DURATION` a command runs again and again; what it says is printed once. */
async function repeated(
  { world }: Lab,
  options: ReadonlyMap<string, string>,
  once: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const every = options.get('every')
  if (every === undefined) return once()
  const everyMs = Math.max(parseDuration(every), 1000)
  const endAt = world.clock.now() + parseDuration(options.get('for'))
  const lines = new Set<string>()
  while (world.clock.now() < endAt) {
    for (const line of await once()) lines.add(line)
    await world.advance(everyMs)
  }
  return [...lines]
}

/** As kubectl says it. */
function refusal({ reason, message }: ApiError): string {
  if (reason === 'Invalid') return message
  return reason === '' ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`
}

function at<T>(file: string, call: Call | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw call === undefined ? error : located(error, call, file, '')
  }
}

function located(error: unknown, call: Call, file: string, usage: string): Error {
  if (error instanceof ScenarioError) return error
  const message = error instanceof Error ? error.message : String(error)
  const hint =
    error instanceof UsageError && error.line === 0 && usage !== '' ? ` (usage: ${commandName(call)} ${usage})` : ''
  const line = call.line + (error instanceof UsageError ? error.line : 0)
  return new ScenarioError(file, line, `${call.text}: ${message}${hint}`, { cause: error })
}
