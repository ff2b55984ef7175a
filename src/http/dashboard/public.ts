// Objects as they leave through the dashboard, which anybody on this machine may read: values of Secrets masked, and no
// user, password or token in the address of a repository, wherever in the object it stands.

import { maskSecrets } from '#gitops/diff'
import { scrub, withoutCredentials } from '#gitops/source'
import type { Application } from '#kinds'
import type { AnyObject, Json, KubeObject } from '#objects'

export function publicApplication(application: Application): Application {
  const { status } = application
  if (status?.resources === undefined) return cleaned(application)
  // The longest part names no repository.
  const { resources, ...rest } = status
  const clean = cleaned({ ...application, status: rest })
  return { ...clean, status: { ...clean.status, resources } }
}

/** One object of Argo CD's kinds. */
export const publicObject = <T extends KubeObject>(object: T): T => cleaned(object)

/** States of one object (absent ones stay absent). */
export function publicStates<T extends readonly (AnyObject | undefined)[]>(
  ...objects: T
): { readonly [K in keyof T]: T[K] } {
  const isApplication = objects.some((object) => object?.apiVersion.startsWith('argoproj.io/') === true)
  const masked: readonly (AnyObject | undefined)[] = maskSecrets(...objects)
  return (isApplication ? cleaned(masked) : masked) as unknown as { readonly [K in keyof T]: T[K] }
}

/** What a page sends back of an address that it was shown without credentials means the address with them. */
export function withCredentialsKept<T extends Application['spec']>(sent: T, live: Application['spec']): T {
  const known = new Map(
    [live.source, ...(live.sources ?? [])].flatMap((source) =>
      source === undefined ? [] : [[withoutCredentials(source.repoURL), source.repoURL] as const],
    ),
  )
  const kept = <S extends { readonly repoURL?: string }>(source: S): S => {
    const whole = known.get(source.repoURL ?? '')
    return whole === undefined ? source : { ...source, repoURL: whole }
  }
  return {
    ...sent,
    ...(sent.source === undefined ? {} : { source: kept(sent.source) }),
    ...(sent.sources === undefined ? {} : { sources: sent.sources.map(kept) }),
  }
}

/** The same object when nothing in it had to be hidden. */
function cleaned<T extends object>(value: T): T {
  return clean(value as unknown as Json) as unknown as T
}

function clean(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return value.includes('://') ? scrub(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((each: Json) => clean(each) as Json)
    return items.every((each, at) => each === value[at]) ? value : items
  }
  let changed: Record<string, Json> | undefined
  for (const [name, child] of Object.entries(value)) {
    const next = clean(child as Json)
    if (next === child || next === undefined) continue
    changed ??= { ...(value as Readonly<Record<string, Json>>) }
    changed[name] = next
  }
  return changed ?? value
}
