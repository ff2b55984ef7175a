// The checks of the Pod Security Standards that the levels `baseline` and `restricted` ask for, in the words of
// k8s.io/pod-security-admission/policy. Pure. A check answers why a pod breaks it, or nothing.

import { breach, type Check, notOnWindows } from './check.ts'
import { hostNamespaces, hostPathVolumes, hostPorts, hostProbes, restrictedVolumes } from './host-access.ts'
import {
  appArmor,
  safeSysctls,
  seccompBaseline,
  seccompRestricted,
  seLinuxOptions,
  seLinuxTypes,
  sysctls,
} from './kernel-profiles.ts'
import {
  addedBeyond,
  allowPrivilegeEscalation,
  defaultCapabilities,
  privileged,
  procMount,
  restrictedCapabilities,
  runAsNonRoot,
  runAsUser,
  windowsHostProcess,
} from './privileges.ts'

/** In the order in which breaches are told. */
export const checks: readonly Check[] = [
  { id: 'allowPrivilegeEscalation', level: 'restricted', since: 8, find: allowPrivilegeEscalation },
  { id: 'allowPrivilegeEscalation', level: 'restricted', since: 25, find: notOnWindows(allowPrivilegeEscalation) },
  { id: 'appArmorProfile', level: 'baseline', find: appArmor },
  {
    id: 'capabilities_baseline',
    level: 'baseline',
    find: (spec) => breach('non-default capabilities', addedBeyond(spec, defaultCapabilities)),
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 22,
    replaces: 'capabilities_baseline',
    find: restrictedCapabilities,
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 25,
    replaces: 'capabilities_baseline',
    find: notOnWindows(restrictedCapabilities),
  },
  { id: 'hostNamespaces', level: 'baseline', find: hostNamespaces },
  { id: 'hostPathVolumes', level: 'baseline', find: hostPathVolumes },
  { id: 'hostPorts', level: 'baseline', find: hostPorts },
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', since: 34, find: hostProbes },
  { id: 'privileged', level: 'baseline', find: privileged },
  { id: 'procMount', level: 'baseline', find: procMount },
  { id: 'restrictedVolumes', level: 'restricted', replaces: 'hostPathVolumes', find: restrictedVolumes },
  { id: 'runAsNonRoot', level: 'restricted', find: runAsNonRoot },
  { id: 'runAsUser', level: 'restricted', since: 23, find: runAsUser },
  { id: 'seLinuxOptions', level: 'baseline', find: seLinuxOptions(seLinuxTypes) },
  { id: 'seLinuxOptions', level: 'baseline', since: 31, find: seLinuxOptions([...seLinuxTypes, 'container_engine_t']) },
  { id: 'seccompProfile_baseline', level: 'baseline', since: 19, find: seccompBaseline },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 19,
    replaces: 'seccompProfile_baseline',
    find: seccompRestricted,
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 25,
    replaces: 'seccompProfile_baseline',
    find: notOnWindows(seccompRestricted),
  },
  ...safeSysctls.map(([since]): Check => ({ id: 'sysctls', level: 'baseline', since, find: sysctls(since) })),
  { id: 'windowsHostProcess', level: 'baseline', find: windowsHostProcess },
]
