// Defaults of volumes, as in pkg/apis/core/v1/defaults.go.

import type { DownwardAPIVolumeFile, Volume, VolumeProjection } from '../generated/types.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { claimSpecDefaults } from './claim-defaults.ts'
import { fieldRefDefaults } from './container-defaults.ts'

const defaultFileMode = 0o644

export function volumeDefaults(volume: Volume): Volume {
  const { secret, configMap, downwardAPI, projected, hostPath, ephemeral } = volume
  const hasSource = Object.keys(volume).some((field) => field !== 'name')
  return withDefaults(volume, {
    emptyDir: hasSource ? undefined : {},
    secret: secret && withDefaults(secret, { defaultMode: secret.defaultMode ?? defaultFileMode }),
    configMap: configMap && withDefaults(configMap, { defaultMode: configMap.defaultMode ?? defaultFileMode }),
    hostPath: hostPath && withDefaults(hostPath, { type: hostPath.type ?? '' }),
    downwardAPI:
      downwardAPI &&
      withDefaults(downwardAPI, {
        defaultMode: downwardAPI.defaultMode ?? defaultFileMode,
        items: downwardAPI.items && mapShared(downwardAPI.items, fileDefaults),
      }),
    projected:
      projected &&
      withDefaults(projected, {
        defaultMode: projected.defaultMode ?? defaultFileMode,
        sources: projected.sources && mapShared(projected.sources, sourceDefaults),
      }),
    ephemeral:
      ephemeral?.volumeClaimTemplate &&
      withDefaults(ephemeral, {
        volumeClaimTemplate: withDefaults(ephemeral.volumeClaimTemplate, {
          spec: claimSpecDefaults(ephemeral.volumeClaimTemplate.spec),
        }),
      }),
  })
}

const fileDefaults = (file: DownwardAPIVolumeFile): DownwardAPIVolumeFile =>
  withDefaults(file, { fieldRef: file.fieldRef && fieldRefDefaults(file.fieldRef) })

function sourceDefaults(source: VolumeProjection): VolumeProjection {
  const { downwardAPI, serviceAccountToken } = source
  return withDefaults(source, {
    downwardAPI:
      downwardAPI &&
      withDefaults(downwardAPI, { items: downwardAPI.items && mapShared(downwardAPI.items, fileDefaults) }),
    serviceAccountToken:
      serviceAccountToken &&
      withDefaults(serviceAccountToken, { expirationSeconds: serviceAccountToken.expirationSeconds ?? 3600 }),
  })
}
