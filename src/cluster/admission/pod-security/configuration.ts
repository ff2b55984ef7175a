// A PodSecurityConfiguration: what is asked where a namespace's labels say nothing, and what is never looked at.

import { dnsLabel, dnsSubdomain } from '#kinds'
import type { Fields } from '#objects'
import { isVersion, levelOf, levelText, modes, type Policies, type Policy, privileged, versionText } from './policy.ts'

export interface PodSecurityConfiguration {
  readonly defaults: Policies
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

export const usualPodSecurity: PodSecurityConfiguration = {
  defaults: privileged,
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}

const group = 'pod-security.admission.config.k8s.io'
export const podSecurityVersions = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((version) => [`${group}/${version}`, 'PodSecurityConfiguration']),
)

export function readPodSecurity(fields: Fields): PodSecurityConfiguration {
  const defaults = fields.object('defaults')
  const policies = Object.fromEntries(modes.map((mode) => [mode, readPolicy(defaults, mode)])) as unknown as Policies
  defaults?.end()
  const exemptions = fields.object('exemptions')
  const read = (name: string, faultsOf: (text: string) => readonly string[]) => readNames(exemptions, name, faultsOf)
  const found = {
    namespaces: read('namespaces', dnsLabel),
    runtimeClasses: read('runtimeClasses', dnsSubdomain),
    usernames: read('usernames', () => []),
  }
  exemptions?.end()
  return { defaults: policies, exemptions: found }
}

function readPolicy(fields: Fields | undefined, mode: string): Policy {
  const level = fields?.text(mode) ?? 'privileged'
  const version = fields?.text(`${mode}-version`) ?? 'latest'
  const known = levelOf(level)
  if (known === undefined) fields?.fault(mode, `is ${JSON.stringify(level)}, ${levelText}`)
  if (!isVersion(version)) fields?.fault(`${mode}-version`, `is ${JSON.stringify(version)}, ${versionText}`)
  return { level: known ?? 'restricted', version }
}

function readNames(fields: Fields | undefined, list: string, faultsOf: (text: string) => readonly string[]) {
  const names = fields?.texts(list) ?? []
  names.forEach((name, i) => {
    const [fault] = faultsOf(name)
    if (fault !== undefined) fields?.fault(`${list}[${i}]`, `is ${JSON.stringify(name)}: ${fault}`)
    else if (names.indexOf(name) < i) fields?.fault(`${list}[${i}]`, `${JSON.stringify(name)} is there twice`)
  })
  return names
}
