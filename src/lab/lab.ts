// One cluster in virtual time for one scenario, with the means to disturb it. `ask` lets the world run while a request of
// a person is on its way; time passes only where a command says so.

import { type Client, findKindNamed, type ObjectRef } from '#client'
import { defaultStorageClassAddon } from '#controllers'
import { createGitops, createTools, type Gitops, type ToolsOptions } from '#gitops'
import { FightWatch } from '#insight'
import type { Kind } from '#kinds'
import { numberedNodes } from '#kubelet'
import { createMachine, type Machine, type MachineOptions, type NodePlan } from '#machine'
import { type SimulatedWorld, simulatedWorld } from '#world'
import { FigureBoard } from './figure-board.ts'
import { Interference } from './interference.ts'
import { StableNames } from './names.ts'
import { LabRepository } from './repository.ts'
import { UsageError } from './scenario-error.ts'

export interface LabPlan {
  readonly nodes: NodePlan
  readonly startAt?: number
  /** Profiles of the scheduler; default: Kubernetes' own. */
  readonly scheduler?: NonNullable<MachineOptions['scheduler']>
  /** With a repository and the reconciler that follows it. */
  readonly repository: boolean
  /** What renders charts and kustomizations; absent: nothing does. */
  readonly tools?: LabTools
}

export type LabTools = Omit<ToolsOptions, 'world'>

export interface Target {
  readonly kind: Kind
  readonly ref: ObjectRef
}

export interface Lab {
  readonly world: SimulatedWorld
  readonly machine: Machine
  readonly gitops?: Gitops
  readonly repository?: LabRepository
  readonly client: Client
  readonly names: StableNames
  readonly interference: Interference
  readonly figures: FigureBoard
  readonly fights: FightWatch
  /** Notes from now on who changes objects of this kind. */
  followFights(kind: Kind): void
  /** Paths in commands start here. */
  readonly folder: string
  /** What happened beside the commands; printed after the command during which it did. */
  takeNotes(): readonly string[]
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>
  kindNamed(text: string): Promise<Kind>
  /** `KIND/NAME`, where the name may be one that the lab shows. */
  target(text: string | undefined, namespace: string | undefined): Promise<Target>
  stop(): Promise<void>
}

/** More tasks than this at one instant is a loop that wakes itself. */
const mostTasksPerInstant = 500_000
/** Nodes, default objects and service accounts are there when a scenario begins. */
const warmUpMs = 5000

export async function createLab(plan: LabPlan, seed: string | number, folder: string): Promise<Lab> {
  const startAt = plan.startAt === undefined ? {} : { startAt: plan.startAt - warmUpMs }
  const world = simulatedWorld(seed, { tasksPerInstant: mostTasksPerInstant, ...startAt })
  const names = new StableNames(numberedNodes(plan.nodes.count).map(({ name }) => name))
  let notes: string[] = []
  const interference = new Interference(
    () => machine,
    (line) => notes.push(line),
  )
  const repository = plan.repository ? await LabRepository.create(world.clock) : undefined
  const gitops =
    repository === undefined
      ? undefined
      : createGitops({
          world,
          directory: '/nonexistent',
          local: [{ path: repository.path }],
          ...(plan.tools === undefined ? {} : { tools: createTools({ world, ...plan.tools }) }),
        })
  const machine = createMachine({
    world,
    nodes: plan.nodes,
    ...(plan.scheduler === undefined ? {} : { scheduler: plan.scheduler }),
    extraLoops: [...(gitops?.loops ?? []), defaultStorageClassAddon],
    wrap: (next) => interference.wrap(names.wrap(next)),
  })
  const client = machine.client({ userAgent: 'kubectl' })
  machine.start()
  await world.advance(warmUpMs)

  const ended = new AbortController()
  const fights = new FightWatch(client, () => world.clock.now())
  const ask = <T>(work: (client: Client) => Promise<T>): Promise<T> => world.drive(() => work(client))
  const kindNamed = async (text: string): Promise<Kind> => {
    const kind = await ask((asking) => findKindNamed(asking, text))
    if (kind === undefined) throw new UsageError(`no kind is called ${text}`)
    return kind
  }
  return {
    world,
    machine,
    ...(gitops === undefined ? {} : { gitops }),
    ...(repository === undefined ? {} : { repository }),
    client,
    names,
    interference,
    figures: new FigureBoard(),
    fights,
    followFights(kind) {
      fights.follow(kind, ended.signal).catch((error: unknown) => {
        if (!ended.signal.aborted) notes.push(`following ${kind.resource} ended: ${String(error)}`)
      })
    },
    folder,
    takeNotes() {
      const taken = notes
      notes = []
      return taken
    },
    ask,
    kindNamed,
    async target(text, namespace = 'default') {
      const [kindName = '', name = '', ...more] = (text ?? '').split('/')
      if (name === '' || more.length > 0) throw new UsageError(`${text ?? 'nothing'} is not KIND/NAME`)
      const kind = await kindNamed(kindName)
      return kind.namespaced
        ? { kind, ref: { namespace, name: names.real(namespace, name) } }
        : { kind, ref: { name: names.real('', name) } }
    },
    async stop() {
      ended.abort()
      await world.drive(() => machine.stop())
      repository?.dispose()
    },
  }
}
