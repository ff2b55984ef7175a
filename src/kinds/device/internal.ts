// Claims and allocations in the form of Kubernetes' internal types, as faults print them.

import type { AllocationResult, DeviceClaim } from '../generated/types.ts'
import { asGoStruct, type GoStruct, goStruct } from '../go-struct.ts'

const opaque = goStruct('Driver="" Parameters={}')
const selectors = goStruct('CEL:cel', { CEL: goStruct('Expression=""') })
const tolerations = goStruct('Key="" Operator="" Value="" Effect="" TolerationSeconds')
const exactly = goStruct('DeviceClassName="" Selectors AllocationMode="" Count=0 AdminAccess Tolerations Capacity', {
  Selectors: selectors,
  Tolerations: tolerations,
})
const alternative = goStruct('Name="" DeviceClassName="" Selectors AllocationMode="" Count=0 Tolerations Capacity', {
  Selectors: selectors,
  Tolerations: tolerations,
})
const request = goStruct('Name="" Exactly FirstAvailable', { Exactly: exactly, FirstAvailable: alternative })
const claim = goStruct('Requests Constraints Config', {
  Requests: request,
  Constraints: goStruct('Requests MatchAttribute DistinctAttribute'),
  Config: goStruct('Requests Opaque', { Opaque: opaque }),
})

const requirement = goStruct('Key="" Operator="" Values')
export const internalTerm: GoStruct = goStruct('MatchExpressions MatchFields', {
  MatchExpressions: requirement,
  MatchFields: requirement,
})

const results = goStruct(
  'Request="" Driver="" Pool="" Device="" AdminAccess Tolerations BindingConditions BindingFailureConditions ShareID:shareID ConsumedCapacity',
  { Tolerations: tolerations },
)
const allocation = goStruct('Devices NodeSelector AllocationTimestamp', {
  Devices: goStruct('Results Config', {
    Results: results,
    Config: goStruct('Source="" Requests Opaque', { Opaque: opaque }),
  }),
  NodeSelector: goStruct('NodeSelectorTerms', { NodeSelectorTerms: internalTerm }),
})

export const internalSpec = ({ devices }: { readonly devices?: DeviceClaim }): object => ({
  Devices: asGoStruct(claim, devices ?? {}),
})

export const internalAllocation = (result: AllocationResult): object => asGoStruct(allocation, result)
