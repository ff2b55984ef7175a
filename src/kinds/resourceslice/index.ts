// ResourceSlice (resource.k8s.io/v1): devices that a driver offers.

import { sliceWithoutDisabled } from '../device/disabled-fields.ts'
import { quote } from '../field-error.ts'
import { ResourceSlice } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { validateSlice } from './validate.ts'

const withoutDisabled = (slice: ResourceSlice): ResourceSlice =>
  withDefaults(slice, { spec: sliceWithoutDisabled(slice.spec) })

export const resourceSliceRules: KindRules<ResourceSlice> = {
  kind: ResourceSlice,
  prepareForCreate: withoutDisabled,
  prepareForUpdate: withoutDisabled,
  validate: (slice) => validateSlice(slice),
  validateUpdate: validateSlice,
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`],
  columns: [
    nameColumn,
    text(
      'Node',
      'NodeName identifies the node which provides the resources in this pool. A field selector can be used to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that adding new nodes of the same type as some old node might also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This field is immutable.',
      ({ spec }) => spec.nodeName ?? '',
    ),
    text(
      'Driver',
      'Driver identifies the DRA driver providing the capacity information. A field selector can be used to list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. This field is immutable.',
      ({ spec }) => spec.driver,
    ),
    text(
      'Pool',
      'Name is used to identify the pool. For node-local devices, this is often the node name, but this is not required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS sub-domains separated by slashes. This field is immutable.',
      ({ spec }) => spec.pool.name,
    ),
    ageColumn,
  ],
  unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
}
