// TaintNodesByCondition: a new node takes no pods until its lifecycle controller has seen it ready.

import type { Node, Taint } from '#kinds'
import type { AnyObject } from '#objects'
import type { AdmissionPlugin, AdmissionRequest } from '../plugin.ts'

const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

function mutate(object: AnyObject, { operation, subresource }: AdmissionRequest): AnyObject {
  if (operation !== 'CREATE' || subresource !== '') return object
  const { spec = {} } = object as unknown as Node
  const taints = spec.taints ?? []
  if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return object
  return { ...object, spec: { ...spec, taints: [...taints, notReady] } }
}

export const taintNodesByCondition: AdmissionPlugin = { name: 'TaintNodesByCondition', resources: ['nodes'], mutate }
