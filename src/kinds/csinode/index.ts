// CSINode (storage.k8s.io/v1).

import { isEqual } from '#objects'
import { checkDriverName } from '../csidriver/index.ts'
import { duplicate, type FieldError, invalid, required, twice } from '../field-error.ts'
import { CSINode, type CSINodeDriver } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import type { KindRules } from '../kind.ts'
import { immutableText, nonNegativeText, qualifiedName } from '../metadata/formats.ts'
import { ageColumn, integer, nameColumn } from '../table/columns.ts'

const maxNodeId = 256
const internalDriver = goStruct('Name="" NodeID="" TopologyKeys Allocatable', {
  Allocatable: goStruct('Count'),
})

function validate({ spec }: CSINode): readonly FieldError[] {
  const errors: FieldError[] = []
  const names = new Set<string>()
  const drivers = spec?.drivers ?? []
  drivers.forEach((driver, i) => {
    checkDriver(driver, names, { path: `spec.drivers[${i}]`, errors })
    names.add(driver.name)
  })
  return errors
}

function checkDriver(
  driver: CSINodeDriver,
  names: ReadonlySet<string>,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  const { name = '', nodeID = '', allocatable } = driver
  // An absent list is null in an object that has been decoded.
  const topologyKeys = driver.topologyKeys ?? []
  checkDriverName(name, `${path}.name`, errors)
  if (nodeID === '') errors.push(required(`${path}.nodeID`))
  if (nodeID.length > maxNodeId)
    errors.push(invalid(`${path}.nodeID`, nodeID, `must be ${maxNodeId} characters or less`))
  if ((allocatable?.count ?? 0) < 0)
    errors.push(invalid(`${path}.allocatable.count`, allocatable?.count, nonNegativeText))
  if (names.has(name)) errors.push(duplicate(`${path}.name`, name))
  topologyKeys.forEach((key, i) => {
    if (key === '') errors.push(required(path, key))
    if (topologyKeys.indexOf(key) < i) errors.push(duplicate(path, key))
    for (const fault of qualifiedName(key)) errors.push(invalid(path, key, fault))
  })
}

/** The entry of a driver stays as it is. */
function validateUpdate(node: CSINode, old: CSINode): readonly FieldError[] {
  const errors = [...twice(validate(node))]
  for (const before of old.spec?.drivers ?? [])
    for (const driver of node.spec?.drivers ?? []) {
      if (driver.name === before.name && !isEqual(driver, before))
        errors.push(invalid('spec.drivers', asGoStruct(internalDriver, driver), immutableText))
    }
  return errors
}

export const csiNodeRules: KindRules<CSINode> = {
  kind: CSINode,
  metaOnUpdate: 'mu',
  generation: 'none',
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate,
  columns: [
    nameColumn,
    integer(
      'Drivers',
      'Drivers indicates the number of CSI drivers registered on the node',
      ({ spec }) => spec?.drivers?.length ?? 0,
    ),
    ageColumn,
  ],
}
