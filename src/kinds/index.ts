// The kinds: their names, types, schema and rules. Knows no server, no store and no transport.
export { requestEnvironment, variableType } from './admissionrule/environment.ts'
export * from './application/index.ts'
export * from './applicationset/index.ts'
export * from './appproject/index.ts'
export * from './cel/index.ts'
export { type ParsedRequest, parseRequest, requestFault } from './certificatesigningrequest/request.ts'
export { timedConditions, validateApproval } from './certificatesigningrequest/status.ts'
export { ScheduleError, type ScheduleTimes, scheduleOf, zoneOffsetMs } from './cronjob/index.ts'
export * from './customresource/index.ts'
export { compareVersions } from './customresourcedefinition/version-order.ts'
export * from './descriptions.ts'
export { storedDeviceEnvironment } from './device/environment.ts'
export { readyBackends } from './endpointslice/backends.ts'
export * from './fault/index.ts'
export * from './field-error.ts'
export { definitionsText } from './generated/definitions.ts'
export * from './generated/resources.ts'
export * from './generated/types.ts'
export {
  AutoscalingV2HorizontalPodAutoscaler as HorizontalPodAutoscaler,
  CoreV1Event as Event,
} from './generated/types.ts'
export * from './installed.ts'
export * from './kind.ts'
export { dnsLabel, dnsLabel1035, dnsSubdomain, pathSegment, qualifiedName } from './metadata/formats.ts'
export { checkAnnotations, checkLabels, checkQualifiedFinalizer } from './metadata/validate.ts'
export * from './metricseries/index.ts'
export { joinHostPort, parseAddress, parseRange, rangeContains } from './network/addresses.ts'
export * from './nodeprofile/index.ts'
export * from './persistentvolume/attachment.ts'
export * from './persistentvolumeclaim/binding.ts'
export * from './persistentvolumeclaim/resizing.ts'
export * from './placement/index.ts'
export { appArmorOf } from './pod/apparmor.ts'
export { validateEphemeralContainers } from './pod/ephemeral-containers.ts'
export { type Reference as PodReference, referencedObjects } from './pod/references.ts'
export { validateResize } from './pod/resize.ts'
export { allowing } from './poddisruptionbudget/allowed.ts'
export { isSystemClass } from './priorityclass/index.ts'
export * from './probe/index.ts'
export * from './registry.ts'
export * from './resource-info.ts'
export { type Amounts, unmeasured } from './resourcequota/pod-usage.ts'
export { countsFor, isLimitedInTime, matchingScopes, quotaScopes, type ScopeSelector } from './resourcequota/scopes.ts'
export { quotaUsage, usersOf } from './resourcequota/usage.ts'
export * from './schema/index.ts'
export { formatSelector, goText } from './selector/format.ts'
export { checkRequirement } from './selector/validate.ts'
export {
  clusterIPFaults,
  givesNodePorts,
  isExternallyAccessible,
  isHeadless,
  keepAllocatedValues,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePort,
  normalizeClusterIPs,
} from './service/index.ts'
export { claimTester } from './statefulset/claims.ts'
export { defaultStorageClass } from './storageclass/index.ts'
export { ageColumn, createdColumn, integer, nameColumn } from './table/columns.ts'
export { age } from './table/duration.ts'
export { bundleFault } from './webhook/ca-bundle.ts'
export * from './workloadprofile/index.ts'
