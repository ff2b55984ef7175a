// The clusters that Argo CD knows: the built-in one, and one for each cluster Secret.

import { normalize } from '#gitops/gotemplate'
import { matchesLabels } from '#objects'
import { flatten, type Params, withValues } from '../template.ts'
import type { ClusterFacts, Generate } from './generator.ts'

export const clusters: Generate = async (generator, context) => {
  const { selector, values, flatList } = generator.clusters ?? {}
  const selects = Object.keys(selector?.matchLabels ?? {}).length > 0 || (selector?.matchExpressions ?? []).length > 0
  const chosen = context.clusters.filter(
    (cluster) => !selects || (!cluster.implied && selector !== undefined && matchesLabels(selector, cluster.labels)),
  )
  const all = chosen.map((cluster) => withValues(paramsOf(cluster, context.style.goTemplate), values, context.style))
  return flatList === true && context.style.goTemplate ? [{ clusters: [...all] }] : all
}

function paramsOf({ name, server, project, labels, annotations }: ClusterFacts, goTemplate: boolean): Params {
  const base = { name, nameNormalized: normalize(name), server, project }
  return goTemplate
    ? { ...base, metadata: { labels, annotations } }
    : { ...base, ...flatten(labels, 'metadata.labels'), ...flatten(annotations, 'metadata.annotations') }
}
