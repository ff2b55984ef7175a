// Puts together what a workload does, field by field: from the WorkloadProfiles of the cluster (highest priority first,
// then by name), from what is known of public images, and at last from the container's command. Tells for each field
// which of them decided.

import type { Pod, ProfileWebhook, PullError, WorkloadProfile } from '#kinds'
import { matchesGlobs, parseTime } from '#objects'
import { type ContainerSpec, containersOf } from '../containers/containers.ts'
import { isNonRoot } from '../containers/users.ts'
import { type Usage, usualUsage } from '../usage/samples.ts'
import { usageAt } from '../usage/usage-curve.ts'
import type { DecidedField } from '../workload/decided-field.ts'
import { parseImage } from '../workload/image-reference.ts'
import { failsAfterSeconds, pullErrorText } from '../workload/pull-errors.ts'
import type { ContainerWorkload, CpuCurve, ImageWorkload, PodWorkload, Workloads } from '../workload/workload.ts'
import { builtInProfiles } from './built-in.ts'
import { takenOver } from './by-priority.ts'
import { defaultWorkloads } from './default-workloads.ts'
import type { BuiltInProfile } from './known/forms.ts'
import { lay, type Part } from './laying.ts'
import { matchesContainer, matchesImage, matchesPod, matchesPodAsWhole } from './match.ts'
import { containerPart, imagePart, podPart } from './translate.ts'

/** Registries that do not answer as they should at the moment. */
export interface Outage {
  readonly hosts?: readonly string[]
  readonly error: PullError
  readonly message?: string
}

interface Answer {
  readonly workload: ContainerWorkload
  readonly rules: readonly DecidedField[]
}

/** Whether the container leaves the image's command, and its input, as the profile wants them. */
const isForCommand = ({ ownCommand, withoutInput }: BuiltInProfile, { spec }: ContainerSpec): boolean =>
  !(ownCommand === true && (spec.command ?? []).length > 0) &&
  !(withoutInput === true && (spec.stdin === true || spec.tty === true))

const commandRule = 'its command'
const nameRule = 'the name of its image (no registry is asked)'
/** Samples of nodes are taken at moments of their own. */
const mostMoments = 1000

export class ProfiledWorkloads implements Workloads {
  version = 0
  readonly #base: Workloads
  #profiles: readonly WorkloadProfile[] = []
  #outages: readonly Outage[] = []
  #byPod = new WeakMap<Pod, Map<string, Answer>>()
  #images = new Map<string, ImageWorkload>()
  readonly #underneath = new WeakMap<object, Map<string, Answer>>()

  readonly #running: () => Iterable<Pod>
  /** How many containers share a load, for the latest moments that were asked about. */
  readonly #sharers = new Map<string, number>()

  /** `running`: the pods of all nodes, among which loads are shared. */
  constructor(base: Workloads = defaultWorkloads, running: () => Iterable<Pod> = () => []) {
    this.#base = base
    this.#running = running
  }

  /** Takes over the profiles of the cluster; true when anything changed. */
  use(profiles: readonly WorkloadProfile[]): boolean {
    const sorted = takenOver(profiles, this.#profiles)
    if (sorted === undefined) return false
    this.#profiles = sorted
    this.#changed()
    return true
  }

  setOutages(outages: readonly Outage[]): void {
    this.#outages = outages
    this.#changed()
  }

  #changed(): void {
    this.version += 1
    this.#byPod = new WeakMap()
    this.#images = new Map()
  }

  container(pod: Pod, name: string): ContainerWorkload {
    return this.#answer(pod, name).workload
  }

  /** Which rule decided each field of what a container does, and of its image. */
  rulesFor(pod: Pod, name: string): readonly DecidedField[] {
    const container = containersOf(pod.spec).find(({ spec }) => spec.name === name)?.spec
    const asksForUser = container !== undefined && isNonRoot(container, pod)
    const ofImage = this.#imageProfiles(container?.image ?? '').flatMap(({ profile, part }) =>
      Object.keys(part)
        // Who an image runs as has a say only where that is asked about.
        .filter((field) => field !== 'user' || asksForUser)
        .map((field) => ({ field: `image.${field}`, rule: profile })),
    )
    const all = [...ofImage, ...this.#namedRules(container?.image ?? '')]
    const first = all.filter(({ field }, i) => all.findIndex((one) => one.field === field) === i)
    const whole = this.#profiles.flatMap(({ metadata, spec }) =>
      matchesPodAsWhole(spec.match, pod)
        ? (['pod', 'webhook'] as const)
            .filter((field) => spec[field] !== undefined)
            .map((field) => ({ field, rule: `WorkloadProfile ${metadata.name}` }))
        : [],
    )
    return [...this.#answer(pod, name).rules, ...first, ...whole]
  }

  /** That an image cannot be had is not looked up anywhere, which nobody would guess from the runtime's message. */
  #namedRules(image: string): readonly DecidedField[] {
    const fails = this.#base.image(image).pulls?.some(({ result }) => result === 'error') === true
    return fails ? [{ field: 'image.pulls', rule: nameRule }] : []
  }

  pod(pod: Pod): PodWorkload {
    let answer = this.#base.pod(pod)
    for (const { spec } of this.#profiles.toReversed())
      if (spec.pod !== undefined && matchesPodAsWhole(spec.match, pod)) answer = { ...answer, ...podPart(spec.pod) }
    return answer
  }

  /** What a container takes by its profile; what the profile leaves out is the usual. */
  usage(pod: Pod, name: string, at: number): Usage | undefined {
    const { cpu, memory } = this.container(pod, name)
    if (cpu === undefined && memory === undefined) return this.#base.usage?.(pod, name, at)
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
    const status = [...containerStatuses, ...initContainerStatuses].find((one) => one.name === name)
    const seconds = (at - (parseTime(status?.state?.running?.startedAt) ?? at)) / 1000
    const usual = this.#base.usage?.(pod, name, at) ?? usualUsage(pod, name)
    return {
      milliCpu: cpu === undefined ? usual.milliCpu : this.#cpuAt(cpu, seconds, at),
      memoryBytes: memory === undefined ? usual.memoryBytes : Math.round(usageAt(memory, seconds)),
    }
  }

  #cpuAt({ points, shared }: CpuCurve, seconds: number, at: number): number {
    if (shared === undefined) return usageAt(points, seconds)
    return usageAt(points, (at - shared.since) / 1000) / this.#sharersOf(shared.profile, at)
  }

  #sharersOf(profile: string, at: number): number {
    const key = `${at} ${profile}`
    const known = this.#sharers.get(key)
    if (known !== undefined) return known
    let count = 0
    for (const pod of this.#running())
      for (const { name, state } of pod.status?.containerStatuses ?? [])
        if (state?.running !== undefined && this.container(pod, name).cpu?.shared?.profile === profile) count += 1
    if (this.#sharers.size >= mostMoments) this.#sharers.clear()
    this.#sharers.set(key, Math.max(1, count))
    return Math.max(1, count)
  }

  /** How the server in a container answers as an admission webhook. */
  webhook(pod: Pod): ProfileWebhook | undefined {
    return this.#profiles.find(({ spec }) => spec.webhook !== undefined && matchesPodAsWhole(spec.match, pod))?.spec
      .webhook
  }

  image(name: string): ImageWorkload {
    const known = this.#images.get(name)
    if (known !== undefined) return known
    let answer: ImageWorkload = {}
    for (const { part } of this.#imageProfiles(name)) answer = { ...part, ...answer }
    answer = this.#withOutage(name, { ...this.#base.image(name), ...answer })
    this.#images.set(name, answer)
    return answer
  }

  #imageProfiles(name: string): readonly { readonly profile: string; readonly part: ImageWorkload }[] {
    const own = this.#profiles.map(({ metadata, spec }) => ({ ...spec, rule: `WorkloadProfile ${metadata.name}` }))
    const known = builtInProfiles.map((profile) => ({ ...profile, rule: `built-in profile ${profile.name}` }))
    return [...own, ...known].flatMap(({ match, image, rule }) =>
      image === undefined || match.images === undefined || !matchesImage(match, name)
        ? []
        : [{ profile: rule, part: imagePart(image, name) }],
    )
  }

  #withOutage(name: string, image: ImageWorkload): ImageWorkload {
    const host = parseImage(name)?.host ?? 'docker.io'
    const outage = this.#outages.find(({ hosts }) => matchesGlobs(hosts, host))
    if (outage === undefined) return image
    const { error, message = pullErrorText(error, name) } = outage
    return { ...image, pulls: [{ seconds: failsAfterSeconds[error], result: 'error', message }] }
  }

  #answer(pod: Pod, name: string): Answer {
    const container = containersOf(pod.spec).find(({ spec }) => spec.name === name)
    if (container === undefined) return { workload: this.#base.container(pod, name), rules: [] }
    if (this.#profiles.length === 0) return this.#underneathOf(pod, container)
    const ofPod = this.#byPod.get(pod) ?? new Map<string, Answer>()
    this.#byPod.set(pod, ofPod)
    const known = ofPod.get(name) ?? this.#decide(pod, container)
    ofPod.set(name, known)
    return known
  }

  #decide(pod: Pod, container: ContainerSpec): Answer {
    const rules: DecidedField[] = []
    let decided: Part = {}
    for (const { metadata, spec } of this.#profiles) {
      if (spec.container === undefined || !matchesPod(spec.match, pod) || !matchesContainer(spec.match, container))
        continue
      const origin = { profile: metadata.name ?? '', since: parseTime(metadata.creationTimestamp) ?? 0 }
      decided = lay(decided, containerPart(spec.container, origin), `WorkloadProfile ${metadata.name}`, rules)
    }
    const under = this.#underneathOf(pod, container)
    if (rules.length === 0) return under
    const laid: DecidedField[] = []
    const workload = lay(decided, under.workload, '', laid)
    const rest = laid.flatMap(({ field }) => under.rules.find((one) => one.field === field) ?? [])
    return { workload: { runs: [], ...workload, lastRepeats: true }, rules: [...rules, ...rest] }
  }

  /** What holds without the cluster's profiles: the same for all pods that share the container's spec. */
  #underneathOf(pod: Pod, container: ContainerSpec): Answer {
    const policy = pod.spec.restartPolicy ?? 'Always'
    const answers = this.#underneath.get(container.spec) ?? new Map<string, Answer>()
    this.#underneath.set(container.spec, answers)
    const known = answers.get(policy)
    if (known !== undefined) return known
    const rules: DecidedField[] = []
    let decided: Part = {}
    for (const profile of this.#base === defaultWorkloads ? builtInProfiles : []) {
      const { name, match, container: part } = profile
      if (part === undefined || !isForCommand(profile, container) || !matchesContainer(match, container)) continue
      decided = lay(decided, containerPart(part, { profile: name, since: 0 }), `built-in profile ${name}`, rules)
    }
    const base = this.#base.container(pod, container.spec.name)
    const workload = rules.length === 0 ? base : lay(decided, base, commandRule, rules)
    const answer: Answer = {
      workload: { runs: [], ...workload },
      rules: rules.length === 0 ? [{ field: 'runs', rule: commandRule }] : rules,
    }
    answers.set(policy, answer)
    return answer
  }
}
