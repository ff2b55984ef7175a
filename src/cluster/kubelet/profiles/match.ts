// Whether a profile is about an image, a container or a pod. Pure.

import type { Pod, ProfileMatch } from '#kinds'
import { matchesGlob, matchesGlobs, matchesLabels } from '#objects'
import { type ContainerSpec, containersOf } from '../containers/containers.ts'
import { parseImage } from '../workload/image-reference.ts'

const withoutTag = (name: string): string => name.replace(/@.*$/, '').replace(/:[^/:]*$/, '')

const known = new Map<string, readonly string[]>()
const limit = 5000

/** The names by which an image may be called: as written, in full, as people know it; each with and without its tag. */
function namesOf(image: string): readonly string[] {
  const found = known.get(image)
  if (found !== undefined) return found
  const full = parseImage(image)?.full ?? image
  const familiar = full.replace(/^docker\.io\/(library\/)?/, '')
  const all = [...new Set([image, full, familiar].flatMap((name) => [name, withoutTag(name)]))]
  if (known.size >= limit) known.clear()
  known.set(image, all)
  return all
}

export const matchesImage = ({ images }: ProfileMatch, image: string): boolean =>
  images === undefined || namesOf(image).some((name) => images.some((pattern) => matchesGlob(pattern, name)))

export const commandOf = ({ spec }: ContainerSpec): string => [...(spec.command ?? []), ...(spec.args ?? [])].join(' ')

function setsNone(names: readonly string[] | undefined, { spec }: ContainerSpec): boolean {
  if (names === undefined) return true
  return (spec.envFrom ?? []).length === 0 && !(spec.env ?? []).some(({ name }) => names.includes(name))
}

export const matchesContainer = (match: ProfileMatch, container: ContainerSpec): boolean =>
  matchesImage(match, container.spec.image ?? '') &&
  matchesGlobs(match.containers, container.spec.name) &&
  (match.commands === undefined || matchesGlobs(match.commands, commandOf(container))) &&
  setsNone(match.withoutEnv, container)

export const matchesPod = (match: ProfileMatch, { metadata }: Pod): boolean =>
  matchesGlobs(match.namespaces, metadata.namespace ?? '') &&
  matchesGlobs(match.pods, metadata.name ?? '') &&
  (match.podSelector === undefined || matchesLabels(match.podSelector, metadata.labels))

/** Whether a profile is about a pod as a whole: one of its containers meets the rest of the match. */
export const matchesPodAsWhole = (match: ProfileMatch, pod: Pod): boolean =>
  matchesPod(match, pod) && containersOf(pod.spec).some((container) => matchesContainer(match, container))
