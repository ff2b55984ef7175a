// What a manifest says about its own sync: hook phases, delete policies, wave and options. Argo CD's annotations, and
// Helm's where Argo CD understands them. Pure.

import type { SyncPhase } from '#kinds'
import type { KubeObject } from '#objects'

export type HookType = SyncPhase | 'Skip' | 'PreDelete' | 'PostDelete'
export type HookDeletePolicy = 'HookSucceeded' | 'HookFailed' | 'BeforeHookCreation'

export const hookFinalizer = 'argocd.argoproj.io/hook-finalizer'

const helmHooks: Readonly<Record<string, HookType>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
  'pre-delete': 'PreDelete',
  'post-delete': 'PostDelete',
}
const hookTypes: ReadonlySet<string> = new Set([
  'PreSync',
  'Sync',
  'PostSync',
  'SyncFail',
  'Skip',
  'PreDelete',
  'PostDelete',
])
const policies: Readonly<Record<string, HookDeletePolicy>> = {
  HookSucceeded: 'HookSucceeded',
  HookFailed: 'HookFailed',
  BeforeHookCreation: 'BeforeHookCreation',
  'hook-succeeded': 'HookSucceeded',
  'hook-failed': 'HookFailed',
  'before-hook-creation': 'BeforeHookCreation',
}

const annotation = (object: KubeObject, name: string): string | undefined => object.metadata.annotations?.[name]

const parts = (text: string | undefined): readonly string[] =>
  text === undefined
    ? []
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')

/** The phases in which an object is a hook; empty for an ordinary object. An Argo CD annotation hides Helm's. */
export function hookTypesOf(object: KubeObject): readonly HookType[] {
  const own = parts(annotation(object, 'argocd.argoproj.io/hook')).filter((part) =>
    hookTypes.has(part),
  ) as readonly HookType[]
  if (own.length > 0) return [...new Set(own)]
  const helm = parts(annotation(object, 'helm.sh/hook')).filter((part) => part !== 'crd-install')
  // A Helm hook without a meaning here (test, rollback) is no object of the application.
  return [...new Set(helm.map((part) => helmHooks[part] ?? 'Skip'))]
}

export const isHook = (object: KubeObject): boolean => hookTypesOf(object).length > 0

export function deletePoliciesOf(object: KubeObject): readonly HookDeletePolicy[] {
  const text =
    annotation(object, 'argocd.argoproj.io/hook-delete-policy') ?? annotation(object, 'helm.sh/hook-delete-policy')
  const found = parts(text).flatMap((part) => policies[part] ?? [])
  return found.length === 0 ? ['BeforeHookCreation'] : found
}

/** 0 when none is given, or what is given is no whole number. */
export function waveOf(object: KubeObject): number {
  const text = annotation(object, 'argocd.argoproj.io/sync-wave') ?? annotation(object, 'helm.sh/hook-weight')
  return text !== undefined && /^[-+]?\d{1,9}$/.test(text.trim()) ? Number(text) : 0
}

/** `argocd.argoproj.io/sync-options: A=x,B=y` of one object, as `A=x`. */
export const ownOptions = (object: KubeObject): readonly string[] =>
  parts(annotation(object, 'argocd.argoproj.io/sync-options'))

/** Of `argocd.argoproj.io/compare-options`. */
export const compareOptions = (object: KubeObject): readonly string[] =>
  parts(annotation(object, 'argocd.argoproj.io/compare-options'))

/** Whether an option is set: the object's own word wins over the application's. */
export function hasOption(object: KubeObject | undefined, appOptions: readonly string[], option: string): boolean {
  const name = option.slice(0, option.indexOf('='))
  const own = object === undefined ? undefined : ownOptions(object).find((each) => each.startsWith(`${name}=`))
  return own === undefined ? appOptions.includes(option) : own === option
}
