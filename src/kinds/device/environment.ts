// What selectors of devices can name (k8s.io/dynamic-resource-allocation/cel).

import { environmentOf, mapOf, objectOf, parseType, scalar, stringType } from '../cel/index.ts'

const device = objectOf('kubernetes.DRADevice', {
  driver: stringType,
  attributes: mapOf(stringType, mapOf(stringType, scalar('any'))),
  capacity: mapOf(stringType, mapOf(stringType, parseType('kubernetes.Quantity'))),
})

export const deviceEnvironment = environmentOf({ device }, { hasBindings: true })
/** Of selectors that are stored already. */
export const storedDeviceEnvironment = environmentOf({ device }, { hasBindings: true, isStored: true })
