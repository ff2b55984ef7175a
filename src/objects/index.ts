// What every object has: metadata, owners, selectors, conditions, quantity, patch, managed fields. Pure, no I/O.
export { type ConditionParts, setCondition } from './conditions.ts'
export { type Decoded, decode, decodeMerged, strictDecodingError, strictWarnings } from './decode/decode.ts'
export { applySchemaDefaults } from './decode/defaults.ts'
export { DecodeError } from './decode/walk.ts'
export * from './duration.ts'
export { Elements } from './elements.ts'
export * from './equality.ts'
export * from './int-or-percent.ts'
export { type Applied, type Apply, applyServerSide, configurationFault } from './managed/apply.ts'
export type { ApplyConflict } from './managed/conflict.ts'
export { configurationName, kindText } from './managed/names.ts'
export { foldUpdates, type ManagedUpdate, updateManagedFields } from './managed/update.ts'
export * from './nesting.ts'
export * from './object.ts'
export { type JsonPatchOperation, jsonPatch } from './patch/json-patch.ts'
export { mergePatch } from './patch/merge-patch.ts'
export { goValueText, PatchError, type PatchErrorKind } from './patch/patch-error.ts'
export { type PatchKind, patchFault } from './patch/shape.ts'
export { strategicMergePatch } from './patch/strategic-merge.ts'
export { patchStrictErrors } from './patch/strict.ts'
export * from './quantity.ts'
export * from './schema.ts'
export * from './selector/field-selector.ts'
export {
  dnsSubdomain,
  labelValue,
  maxLengthText,
  nonEmptyText,
  qualifiedName,
  regexText,
} from './selector/label-format.ts'
export * from './selector/label-selector.ts'
export { parseLabelSelector } from './selector/parse-labels.ts'
export * from './selector/requirement.ts'
export * from './text/config.ts'
export { type ConfigFault, Fields } from './text/fields.ts'
export { matchesGlob, matchesGlobs } from './text/glob.ts'
export { parseJson } from './text/json.ts'
export * from './text/parsed.ts'
export { parseYaml } from './text/yaml.ts'
export { composeYaml } from './text/yaml-compose.ts'
export { resolvePlainScalar } from './text/yaml-scalar.ts'
export * from './time.ts'
