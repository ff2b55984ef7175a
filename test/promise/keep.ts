// The promise of the reconciler, held against one application: after a sync nothing differs, a second sync writes nothing,
// and whatever is edited by hand in a field that git owns is found, by name, and undone.

import { ApiError } from '#api'
import { findDifferences, pathText } from '#gitops/diff'
import { CustomResourceDefinition, type Kind, resourceTable } from '#kinds'
import { type AnyObject, groupOf, type Json } from '#objects'
import { seededRandom } from '#world'
import { application, auto, type Lab, startLab, manifest as text } from '../gitops/reconciler.ts'
import { Widget } from '../support/custom-kinds.ts'
import { Observer, type Write } from '../support/observer.ts'
import { type Edit, editsOf } from './edits.ts'
import { widgets } from './widgets.ts'

const manager = 'argocd-controller'
const controller = 'application-controller'

/** What is wrong, in words; nothing when the promise is kept. Every third seed compares by Argo CD's three-way merge. */
export async function keepPromise(objects: readonly AnyObject[], seed: number): Promise<readonly string[]> {
  const threeWay = seed % 3 === 0
  // What admission adds to an atomic list (the tolerations of a Pod) a merge that does not ask the cluster cannot know.
  const fitting = objects.filter(({ kind }) => !threeWay || kind !== 'Pod')
  const files = Object.fromEntries(fitting.map((object, index) => [`web/${index}.yaml`, text(object)]))
  const observer = new Observer()
  const lab = await startLab({ seed, files, observer, wrap: observer.wrap })
  try {
    await lab.client.create(CustomResourceDefinition, widgets)
    await lab.world.advance(1000)
    return await new Run({ lab, observer, seed, threeWay }).all()
  } finally {
    await lab.stop()
  }
}

const quietMs = 30_000
const limitMs = 400_000
const rounds = 2

interface RunParts {
  readonly lab: Lab
  readonly observer: Observer
  readonly seed: number
  readonly threeWay: boolean
}

class Run {
  readonly #lab: Lab
  readonly #observer: Observer
  readonly #faults: string[] = []
  readonly #chance: () => number
  readonly #threeWay: boolean

  constructor({ lab, observer, seed, threeWay }: RunParts) {
    this.#lab = lab
    this.#observer = observer
    const random = seededRandom(`edits ${seed}`)
    this.#chance = () => random.next()
    this.#threeWay = threeWay
  }

  async all(): Promise<readonly string[]> {
    const lab = this.#lab
    const app = application('web', lab.repo, { automated: auto })
    const annotations = this.#threeWay ? { 'argocd.argoproj.io/compare-options': 'ServerSideDiff=false' } : {}
    await lab.create({ ...app, metadata: { ...app.metadata, annotations } })
    if (!(await this.#isSynced())) return [await this.#trouble('is not synced')]
    await lab.world.advance(quietMs)
    await this.#nothingDiffers('after the sync')
    await this.#writesNothing()
    for (let round = 0; round < rounds && this.#faults.length === 0; round++) await this.#editAll()
    return this.#faults
  }

  async #isSynced(): Promise<boolean> {
    try {
      await this.#lab.until(async () => {
        const status = (await this.#lab.app('web'))?.status
        return status?.sync?.status === 'Synced' && status.operationState?.phase === 'Succeeded'
      }, limitMs)
      return true
    } catch {
      return false
    }
  }

  async #trouble(what: string): Promise<string> {
    const { sync, operationState, conditions } = (await this.#lab.app('web'))?.status ?? {}
    const differing = (await this.#managed()).filter(({ modified }) => modified)
    const told = differing.map(({ kind, name, live, predicted }) => `${kind} ${name} ${changes(live, predicted)}`)
    return `${what}: ${JSON.stringify([sync?.status, operationState?.phase, operationState?.message, conditions, told])}`
  }

  async #managed() {
    const app = await this.#lab.app('web')
    return app === undefined ? [] : this.#lab.gitops.managedResources(app)
  }

  async #nothingDiffers(when: string): Promise<void> {
    for (const { kind, name, modified } of await this.#managed())
      if (modified) this.#faults.push(`${when} ${kind} ${name} differs`)
    const log = this.#lab.gitops.driftLog('web').filter(({ correctedAt }) => correctedAt === undefined)
    for (const { kind, name, fields } of log) this.#faults.push(`${when} ${kind} ${name}: ${JSON.stringify(fields)}`)
    if ((await this.#lab.app('web'))?.status?.sync?.status !== 'Synced') this.#faults.push(await this.#trouble(when))
  }

  async #writesNothing(): Promise<void> {
    const writes: Write[] = []
    this.#observer.join({
      wrote: (write) => {
        if (write.by?.loop === controller && write.bucket !== 'events' && !write.bucket.startsWith('applications.'))
          writes.push(write)
      },
    })
    const before = (await this.#lab.app('web'))?.status?.operationState?.startedAt
    await this.#lab.sync('web')
    await this.#lab.until(async () => {
      const state = (await this.#lab.app('web'))?.status?.operationState
      return state?.startedAt !== before && state?.phase === 'Succeeded'
    })
    for (const { bucket, key, before: old, after } of writes)
      this.#faults.push(`the second sync writes ${bucket} ${key}: ${changes(old, after)}`)
    writes.length = 0
  }

  async #editAll(): Promise<void> {
    const done: Done[] = []
    const startedAt = this.#lab.world.clock.now()
    for (const { target } of await this.#managed()) {
      const kind = target === undefined ? undefined : kindOf(target)
      if (target === undefined || kind === undefined) continue
      const one = await this.#editOne(kind, target)
      if (one !== undefined) done.push(one)
    }
    await this.#lab.world.advance(1000)
    if (!(await this.#isSynced())) this.#faults.push(await this.#trouble('is not healed'))
    await this.#lab.world.advance(quietMs)
    await this.#nothingDiffers(`after ${done.map(textOf).join('; ')}`)
    for (const one of done) await this.#isFoundAndUndone(one, startedAt)
  }

  /** Tries edits in a random order until the API server takes one, and it makes a difference. */
  async #editOne(kind: Kind, target: AnyObject): Promise<Done | undefined> {
    const hand = this.#lab.machine.client({ userAgent: 'kubectl-edit/v1.34' })
    const ref = refOf(target)
    const live = (await hand.get(kind, ref, { managedFields: true })) as AnyObject
    const edits = [...editsOf(live, manager)]
    for (let tries = 0; tries < 12 && edits.length > 0; tries++) {
      const [edit] = edits.splice(Math.floor(this.#chance() * edits.length), 1)
      if (edit === undefined) break
      try {
        const { managedFields: _sets, ...metadata } = edit.edited.metadata
        const now = (await hand.update(kind, { ...edit.edited, metadata })) as AnyObject
        if (!edit.isUndoneIn(now)) return { edit, kind, before: live }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
      }
    }
    return undefined
  }

  async #isFoundAndUndone(done: Done, startedAt: number): Promise<void> {
    const { edit, kind, before } = done
    const path = pathText(edit.path)
    const entries = this.#lab.gitops
      .driftLog('web')
      .filter(
        ({ kind: of, name, detectedAt }) =>
          of === before.kind && name === before.metadata.name && Date.parse(detectedAt) >= startedAt - 1000,
      )
    const paths = entries.flatMap(({ fields }) => fields.map((field) => field.path))
    if (!paths.some((each) => each.startsWith(path) || path.startsWith(each)))
      this.#faults.push(`${textOf(done)} is not found (${paths.join(', ') || 'no drift'})`)
    const now = (await this.#lab.find(kind, refOf(before))) as AnyObject | undefined
    if (now === undefined || !edit.isUndoneIn(now))
      this.#faults.push(`${textOf(done)} is not undone: ${changes(now, before)}`)
  }
}

interface Done {
  readonly edit: Edit
  readonly kind: Kind
  readonly before: AnyObject
}

const textOf = ({ edit, before }: Done): string => `${before.kind} ${before.metadata.name}: ${edit.text}`

const changes = (live: AnyObject | undefined, desired: AnyObject | undefined): string =>
  JSON.stringify(
    findDifferences({ live: live as unknown as Json, desired: desired as unknown as Json }).map(
      ({ path, live, desired }) => ({
        path,
        live,
        desired,
      }),
    ),
  )

const refOf = ({ metadata: { namespace, name = '' } }: AnyObject) =>
  namespace === undefined ? { name } : { namespace, name }

function kindOf({ apiVersion, kind }: AnyObject): Kind | undefined {
  if (kind === Widget.kind) return Widget
  return resourceTable.find(
    (each) => each.kind === kind && each.group === groupOf(apiVersion) && apiVersion.endsWith(each.version),
  )
}
