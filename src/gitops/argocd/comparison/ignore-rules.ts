// What is no difference for an application: what it says itself, and what argocd-cm says for all. Pure.

import { type Customizations, ignoredForAll } from '#gitops/customizations'
import type { IgnoreRule } from '#gitops/diff'
import type { Application } from '#kinds'
import type { Finding } from '../application/conditions.ts'
import type { IgnoredPaths } from './ignored-paths.ts'

export const ignoreRulesOf = (app: Application, customizations: Customizations): readonly IgnoreRule[] => [
  ...(app.spec.ignoreDifferences ?? []),
  ...ignoredForAll(customizations),
]

/** Expressions that ignore nothing. */
export function ignoreFindings(
  app: Application,
  customizations: Customizations,
  ignored: Pick<IgnoredPaths, 'faultsOf'>,
): readonly Finding[] {
  const own = (app.spec.ignoreDifferences ?? []).flatMap((rule) =>
    ignored
      .faultsOf(rule)
      .map((fault): Finding => ({ type: 'InvalidSpecError', message: `ignoreDifferences of ${rule.kind}: ${fault}` })),
  )
  const forAll = ignoredForAll(customizations).flatMap((rule) =>
    ignored
      .faultsOf(rule)
      .map((fault): Finding => ({ type: 'CustomizationWarning', message: `argocd-cm ${rule.key}: ${fault}` })),
  )
  return [...own, ...forAll]
}
